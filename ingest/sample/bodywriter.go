package sample

import "strconv"

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

// A bodyWriter writes the texts of posts, one after another.
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
	w.site.thread(&w.own, b.slot(q))
	w.thread, w.language = &w.own, w.own.language
	w.r = newRNG(w.seed, streamBody, b.slot(i))
	w.snippets = w.r.below(64)
	w.tight = w.clock.at(b.slot(i)) >= tightHTML
}

// question writes the body of a question, with a link to the other thread if link is
// set.
func (w *bodyWriter) question(link bool) {
	k := w.thread.kind()
	w.paragraph("open." + string(k))
	if w.r.chance(550) {
		w.paragraph("data")
	}
	if w.r.chance(820) {
		w.code()
	}
	if k == kindError || k == kindWhy && w.r.chance(450) {
		w.paragraph("error")
		w.errorBlock()
	} else if k != kindDiff || w.r.chance(300) {
		w.paragraph("symptom")
	}
	if link {
		w.paragraph("link.question")
		w.linkParagraph()
	}
	if w.r.chance(550) {
		w.paragraph("tried")
		w.list("tried.item", false)
	}
	if w.r.chance(350) {
		w.paragraph("detail")
		w.snippet()
	}
	if w.r.chance(350) {
		w.paragraph("expect")
	}
	if w.r.chance(70) {
		w.longBlock()
	}
	w.paragraph("close")
	if w.r.chance(70) {
		w.paragraph("edit")
	}
}

// answer writes the body of an answer, with a link to the other thread if link is set.
func (w *bodyWriter) answer(link bool) {
	if w.r.chance(110) {
		w.paragraph("short")
		if w.r.chance(400) {
			w.snippet()
		}
		return
	}
	w.paragraph("cause")
	if w.r.chance(300) {
		w.quotation()
	}
	if w.r.chance(800) {
		w.paragraph("fix")
		w.code()
	} else {
		w.paragraph("advice")
	}
	if w.r.chance(550) {
		w.paragraph("explain")
	}
	if w.r.chance(330) {
		w.paragraph("steps")
		w.list("steps.item", w.r.chance(500))
	}
	if w.r.chance(330) {
		w.paragraph("alternative")
		w.snippet()
	}
	if link {
		w.paragraph("link.answer")
		w.linkParagraph()
	}
	if w.r.chance(250) {
		w.paragraph("docs")
	}
	if w.r.chance(45) {
		w.longBlock()
	}
	if w.r.chance(450) {
		w.paragraph("caveat")
	}
}

// title writes the title of the current thread.
func (w *bodyWriter) title(m format) {
	saved := w.r
	w.r = newRNG(w.seed, streamTitle, w.thread.slot)
	at := len(w.buf)
	w.phrase("title."+string(w.thread.kind()), m)
	capitalise(w.buf, at)
	w.r = saved
}

// phrase draws and writes a phrase of a section of prose.txt.
func (w *bodyWriter) phrase(section string, m format) {
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

// paragraph writes a phrase of a section as a paragraph.
func (w *bodyWriter) paragraph(section string) {
	w.emptyLine()
	w.buf = append(w.buf, pOpen...)
	w.phrase(section, html)
	w.buf = append(w.buf, pShut+nl...)
}

// emptyLine separates the pieces of an older body.
func (w *bodyWriter) emptyLine() {
	if !w.tight && !endsInQuote(w.buf) {
		w.buf = append(w.buf, nl...)
	}
}

// endsInQuote reports whether b ends where an attribute's value begins.
func endsInQuote(b []byte) bool { return len(b) > 0 && b[len(b)-1] == '"' }

// code writes a block of code in the thread's language or, sometimes, its second.
func (w *bodyWriter) code() {
	own := w.language
	if w.thread.second != nil && w.r.chance(350) {
		w.language = w.thread.second
	}
	w.snippet()
	w.language = own
}

// snippet writes a block of code; successive calls write the language's in turn.
func (w *bodyWriter) snippet() {
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

// errorBlock writes the error message or, if the language prints one, its stack.
func (w *bodyWriter) errorBlock() {
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

// longBlock makes a post several kilobytes long: it writes a log, a deep stack, or
// many blocks of code.
func (w *bodyWriter) longBlock() {
	switch kind := w.r.below(3); {
	case kind == 0:
		w.paragraph("long.log")
		w.openPlainCode()
		for range 20 + w.r.below(60) {
			w.write(w.log[w.r.below(len(w.log))], plain)
			w.buf = append(w.buf, nl...)
		}
		w.buf = append(w.buf, preShut...)
	case kind == 1 && w.language.trace != nil:
		w.paragraph("long.trace")
		w.openPlainCode()
		w.writeStack(w.language.trace, 25+w.r.below(40))
		w.buf = append(w.buf, preShut...)
	default:
		w.paragraph("long.code")
		for range 4 + w.r.below(12) {
			w.snippet()
		}
	}
}

func (w *bodyWriter) openPlainCode() {
	w.emptyLine()
	w.buf = append(w.buf, preOpen...)
}

// list writes two to four items of a section, each once.
func (w *bodyWriter) list(section string, numbered bool) {
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

// quotation quotes the question.
func (w *bodyWriter) quotation() {
	w.emptyLine()
	w.buf = append(w.buf, quote+pOpen...)
	w.phrase("quote", html)
	w.buf = append(w.buf, pShut+nl+unquote...)
}

// linkParagraph writes a paragraph that is a link to the other thread's question.
func (w *bodyWriter) linkParagraph() {
	w.emptyLine()
	w.buf = append(w.buf, pOpen...)
	w.writeLink()
	w.buf = append(w.buf, pShut+nl...)
}

// duplicateNotice writes the notice that begins duplicates in old dumps.
func (w *bodyWriter) duplicateNotice() {
	w.buf = append(w.buf, quote+pOpen+"&lt;strong&gt;Possible Duplicate:&lt;/strong&gt;&lt;br&gt;"+nl...)
	w.writeLink()
	w.buf = append(w.buf, pShut+nl+unquote...)
}

// writeLink writes the other thread's title as a link to it.
func (w *bodyWriter) writeLink() {
	w.buf = append(w.buf, "&lt;a href=&quot;https://stackoverflow.com/questions/"...)
	w.buf = strconv.AppendInt(w.buf, w.id(w.other.slot), 10)
	w.buf = append(w.buf, "&quot;&gt;"...)
	w.thread = &w.other
	w.title(html)
	w.thread = &w.own
	w.buf = append(w.buf, "&lt;/a&gt;"...)
}
