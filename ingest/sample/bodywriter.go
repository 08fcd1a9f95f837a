package sample

import (
	"bytes"
	"strconv"
)

// Pieces of HTML in a Body attribute, escaped.
const (
	nl      = "&#xA;"
	pOpen   = "&lt;p&gt;"
	pShut   = "&lt;/p&gt;"
	preOpen = "&lt;pre&gt;&lt;code&gt;"
	preShut = "&lt;/code&gt;&lt;/pre&gt;" + nl
	ulOpen  = "&lt;ul&gt;" + nl
	ulShut  = "&lt;/ul&gt;" + nl
	olOpen  = "&lt;ol&gt;" + nl
	olShut  = "&lt;/ol&gt;" + nl
	liOpen  = "&lt;li&gt;"
	liShut  = "&lt;/li&gt;" + nl
	quote   = "&lt;blockquote&gt;" + nl
	unquote = "&lt;/blockquote&gt;" + nl
)

// displayNames are names of people, some outside ASCII.
var displayNames = [...]string{
	"Anna", "Tomás", "Łukasz", "mkp", "dev_null42", "Søren", "Zoë", "陈伟", "Иван", "hal-9", "Renée", "Jörg",
	"Priya", "user5518", "Nguyễn", "kestrel", "Ayşe", "b0b", "Márta", "たろう",
}

// A bodyWriter appends the texts of posts and comments to buf, escaped as the
// values of attributes.
type bodyWriter struct {
	*site
	thread    *thread // the thread that is written about: own or other
	own       thread
	other     thread // the thread of a question that the post links to
	r         rng
	language  *language // of code and identifiers
	variation int       // added to the thread's choices, so that its answers differ
	snippets  int       // code blocks written, from a random start
	tagName   string    // of the wiki that is written
	tight     bool      // no empty line between paragraphs
	buf       []byte
}

// begin prepares the writer for the post at offset i of b.
func (w *bodyWriter) begin(b *block, i int) {
	q := i
	w.variation = 0
	if b.role[i] == roleAnswer {
		q, w.variation = int(b.owner[i]), int(b.nth[i])
	}
	w.drawThread(&w.own, b.slot(q))
	w.thread, w.language = &w.own, w.own.language
	w.r = newRNG(w.seed, streamBody, b.slot(i))
	w.snippets = w.r.below(64)
	w.tight = w.clock.at(b.slot(i)) >= tightHTML
}

// writeQuestion writes the body of a question, with a link to the other thread if
// link is set.
func (w *bodyWriter) writeQuestion(link bool) {
	k := w.thread.kind
	w.writeParagraph("open." + string(k))
	if w.r.chance(550) {
		w.writeParagraph("data")
	}
	if w.r.chance(820) {
		w.writeCode()
	}
	if k == kindError || k == kindWhy && w.r.chance(450) {
		w.writeParagraph("error")
		w.writeErrorBlock()
	} else if k != kindDiff || w.r.chance(300) {
		w.writeParagraph("symptom")
	}
	if link {
		w.writeParagraph("link.question")
		w.writeLinkParagraph()
	}
	if w.r.chance(550) {
		w.writeParagraph("tried")
		w.writeList("tried.item", false)
	}
	if w.r.chance(350) {
		w.writeParagraph("detail")
		w.writeSnippet()
	}
	if w.r.chance(350) {
		w.writeParagraph("expect")
	}
	if w.r.chance(70) {
		w.writeLongBlock()
	}
	w.writeParagraph("close")
	if w.r.chance(70) {
		w.writeParagraph("edit")
	}
}

// writeAnswer writes the body of an answer, with a link to the other thread if link is set.
func (w *bodyWriter) writeAnswer(link bool) {
	if w.r.chance(110) {
		w.writeParagraph("short")
		if w.r.chance(400) {
			w.writeSnippet()
		}
		return
	}
	w.writeParagraph("cause")
	if w.r.chance(300) {
		w.writeQuotation()
	}
	if w.r.chance(800) {
		w.writeParagraph("fix")
		w.writeCode()
	} else {
		w.writeParagraph("advice")
	}
	if w.r.chance(550) {
		w.writeParagraph("explain")
	}
	if w.r.chance(330) {
		w.writeParagraph("steps")
		w.writeList("steps.item", w.r.chance(500))
	}
	if w.r.chance(330) {
		w.writeParagraph("alternative")
		w.writeSnippet()
	}
	if link {
		w.writeParagraph("link.answer")
		w.writeLinkParagraph()
	}
	if w.r.chance(250) {
		w.writeParagraph("docs")
	}
	if w.r.chance(45) {
		w.writeLongBlock()
	}
	if w.r.chance(450) {
		w.writeParagraph("caveat")
	}
}

// writeParagraph writes a phrase of a section as a paragraph.
func (w *bodyWriter) writeParagraph(section string) {
	w.emptyLine()
	w.buf = append(w.buf, pOpen...)
	w.writePhrase(section, html)
	w.buf = append(w.buf, pShut+nl...)
}

// emptyLine separates a piece of an older body from the one before.
func (w *bodyWriter) emptyLine() {
	if begins := bytes.HasSuffix(w.buf, []byte(`"`)); !w.tight && !begins { // a body has no other quote
		w.buf = append(w.buf, nl...)
	}
}

// writeCode writes a block of code in the thread's language or, sometimes, its second.
func (w *bodyWriter) writeCode() {
	own := w.language
	if w.thread.second != nil && w.r.chance(350) {
		w.language = w.thread.second
	}
	w.writeSnippet()
	w.language = own
}

// writeSnippet writes a block of code; successive calls write the language's in turn.
func (w *bodyWriter) writeSnippet() {
	w.openCode()
	w.write(w.language.code[w.snippets%len(w.language.code)], plain)
	w.snippets++
	w.buf = append(w.buf, nl+preShut...)
}

// openCode opens a code block, which names the language in some newer posts.
func (w *bodyWriter) openCode() {
	w.emptyLine()
	if w.tight && w.language.class != "" && w.r.chance(400) {
		w.buf = append(w.buf, `&lt;pre class=&quot;`...)
		w.buf = append(w.buf, w.language.class...)
		w.buf = append(w.buf, ` prettyprint-override&quot;&gt;&lt;code&gt;`...)
		return
	}
	w.buf = append(w.buf, preOpen...)
}

// writeErrorBlock writes the error message or, if the language prints one, its stack.
func (w *bodyWriter) writeErrorBlock() {
	w.openPlainCode()
	if t := w.language.trace; t != nil && w.r.chance(550) {
		w.writeStack(t, 2+w.r.logUniform(4))
	} else {
		w.writeStable(w.thread.message.text[html], html)
		w.buf = append(w.buf, nl...)
	}
	w.buf = append(w.buf, preShut...)
}

func (w *bodyWriter) writeStack(t *stackTrace, frames int) {
	w.write(t.head, html)
	for range frames {
		w.write(t.frames[w.r.below(len(t.frames))], html)
	}
	w.write(t.tail, html)
}

// writeLongBlock makes a post several kilobytes long: it writes a log, a deep stack, or
// many blocks of code.
func (w *bodyWriter) writeLongBlock() {
	switch kind := w.r.below(3); {
	case kind == 0:
		w.writeParagraph("long.log")
		w.openPlainCode()
		for range 20 + w.r.below(60) {
			w.write(w.log[w.r.below(len(w.log))], plain)
			w.buf = append(w.buf, nl...)
		}
		w.buf = append(w.buf, preShut...)
	case kind == 1 && w.language.trace != nil:
		w.writeParagraph("long.trace")
		w.openPlainCode()
		w.writeStack(w.language.trace, 25+w.r.below(40))
		w.buf = append(w.buf, preShut...)
	default:
		w.writeParagraph("long.code")
		for range 4 + w.r.below(12) {
			w.writeSnippet()
		}
	}
}

func (w *bodyWriter) openPlainCode() {
	w.emptyLine()
	w.buf = append(w.buf, preOpen...)
}

// writeList writes two to four items of a section, each once.
func (w *bodyWriter) writeList(section string, numbered bool) {
	open, shut := ulOpen, ulShut
	if numbered {
		open, shut = olOpen, olShut
	}
	w.emptyLine()
	w.buf = append(w.buf, open...)
	all := w.corpus.prose[section]
	first := w.r.below(len(all))
	for i := range 2 + w.r.below(3) {
		w.buf = append(w.buf, liOpen...)
		w.write(all[(first+i)%len(all)][html], html)
		w.buf = append(w.buf, liShut...)
		w.variation++
	}
	w.buf = append(w.buf, shut...)
}

// writeQuotation quotes the question.
func (w *bodyWriter) writeQuotation() {
	w.emptyLine()
	w.buf = append(w.buf, quote+pOpen...)
	w.writePhrase("quote", html)
	w.buf = append(w.buf, pShut+nl+unquote...)
}

// writeLinkParagraph writes a paragraph that is a link to the other thread's question.
func (w *bodyWriter) writeLinkParagraph() {
	w.emptyLine()
	w.buf = append(w.buf, pOpen...)
	w.writeLink()
	w.buf = append(w.buf, pShut+nl...)
}

// writeDuplicateNotice writes the notice that begins duplicates in old dumps.
func (w *bodyWriter) writeDuplicateNotice() {
	w.buf = append(w.buf, quote+pOpen+"&lt;strong&gt;Possible Duplicate:&lt;/strong&gt;&lt;br&gt;"+nl...)
	w.writeLink()
	w.buf = append(w.buf, pShut+nl+unquote...)
}

// writeLink writes the other thread's title as a link to it.
func (w *bodyWriter) writeLink() {
	w.buf = append(w.buf, "&lt;a href=&quot;https://stackoverflow.com/questions/"...)
	w.buf = strconv.AppendInt(w.buf, w.postID(w.other.slot), 10)
	w.buf = append(w.buf, "&quot;&gt;"...)
	w.thread = &w.other
	w.writeTitle(html)
	w.thread = &w.own
	w.buf = append(w.buf, "&lt;/a&gt;"...)
}

// writeTitle writes the title of the current thread.
func (w *bodyWriter) writeTitle(m format) {
	saved := w.r
	w.r = newRNG(w.seed, streamTitle, w.thread.slot)
	at := len(w.buf)
	w.writePhrase("title."+string(w.thread.kind), m)
	capitalise(w.buf, at)
	w.r = saved
}

// writePhrase draws and writes a phrase of a section of prose.txt.
func (w *bodyWriter) writePhrase(section string, m format) {
	all := w.corpus.prose[section]
	w.write(all[w.r.below(len(all))][m], m)
}

// write writes a template and fills its placeholders.
func (w *bodyWriter) write(t template, m format) {
	for i := range t {
		w.buf = append(w.buf, t[i].text...)
		if t[i].placeholder != nil {
			t[i].placeholder(w, m)
		}
	}
}

// writeStable writes a template with the same random choices each time in a thread.
func (w *bodyWriter) writeStable(t template, m format) {
	saved := w.r
	w.r = newRNG(w.seed, streamThread, ^w.thread.slot)
	w.write(t, m)
	w.r = saved
}

// writeVersion writes a version of the language that existed at the thread's time, if
// versions appear at even intervals.
func (w *bodyWriter) writeVersion(m format) {
	all := w.language.versions
	out := 1 + int((w.clock.at(w.thread.slot)-opening)*int64(len(all))/(closing-opening))
	newest := min(out, len(all)) - 1
	w.write(all[max(0, newest-w.r.below(2))][m], m)
}

// writeClause writes one of a topic's clauses, capitalised at the start of a sentence.
func (w *bodyWriter) writeClause(clauses []phrase, variation int, start bool, m format) {
	at := len(w.buf)
	w.writeStable(clauses[(w.thread.symptom+variation)%len(clauses)][m], m)
	if start {
		capitalise(w.buf, at)
	}
}

// localSpelling returns the language's spelling of variables and fields.
func (w *bodyWriter) localSpelling() spelling {
	if w.language.style == pascal {
		return camel
	}
	return w.language.style
}
