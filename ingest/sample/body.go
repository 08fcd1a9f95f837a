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

// A kind of question decides its title and opening.
type kind string

const (
	kindHow   kind = "how"
	kindWhy   kind = "why"
	kindError kind = "error"
	kindDiff  kind = "diff"
)

func (t *thread) kind() kind {
	switch {
	case t.title < 48:
		return kindHow
	case t.title < 72:
		return kindWhy
	case t.title < 90:
		return kindError
	default:
		return kindDiff
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
	w.emptyLine()
	w.buf = append(w.buf, preOpen...)
	if t := w.language.trace; t != nil && w.r.chance(550) {
		w.writeStack(t, 2+w.r.logUniform(4))
	} else {
		w.writeStable(w.thread.message.message[html], html)
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
		w.openLog()
		for range 20 + w.r.below(60) {
			w.write(w.log[w.r.below(len(w.log))], plain)
			w.buf = append(w.buf, nl...)
		}
		w.buf = append(w.buf, preShut...)
	case kind == 1 && w.language.trace != nil:
		w.paragraph("long.trace")
		w.openLog()
		w.writeStack(w.language.trace, 25+w.r.below(40))
		w.buf = append(w.buf, preShut...)
	default:
		w.paragraph("long.code")
		for range 4 + w.r.below(12) {
			w.snippet()
		}
	}
}

func (w *bodyWriter) openLog() {
	w.emptyLine()
	w.buf = append(w.buf, preOpen...)
}

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
