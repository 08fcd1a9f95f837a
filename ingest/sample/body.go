package sample

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

// kind is what a question asks: it decides title and opening.
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

// title writes the title of the thread that the voice speaks of.
func (v *voice) title(m mode) {
	saved := v.r
	v.r = newRNG(v.seed, streamTitle, v.thread.slot)
	at := len(v.buf)
	v.say("title."+string(v.thread.kind()), m)
	capitalise(v.buf, at)
	v.r = saved
}

// question writes the body of a question, with a link to the other thread
// where there is one.
func (v *voice) question(link bool) {
	k := v.thread.kind()
	v.paragraph("open." + string(k))
	if v.r.chance(550) {
		v.paragraph("data")
	}
	if v.r.chance(820) {
		v.code()
	}
	if k == kindError || k == kindWhy && v.r.chance(450) {
		v.paragraph("error")
		v.failure()
	} else if k != kindDiff || v.r.chance(300) {
		v.paragraph("symptom")
	}
	if link {
		v.paragraph("link.question")
		v.anchor()
	}
	if v.r.chance(550) {
		v.paragraph("tried")
		v.list("tried.item", false)
	}
	if v.r.chance(350) {
		v.paragraph("detail")
		v.snippet()
	}
	if v.r.chance(350) {
		v.paragraph("expect")
	}
	if v.r.chance(70) {
		v.long()
	}
	v.paragraph("close")
	if v.r.chance(70) {
		v.paragraph("edit")
	}
}

// answer writes the body of the answer of that number.
func (v *voice) answer(link bool) {
	if v.r.chance(110) {
		v.paragraph("short")
		if v.r.chance(400) {
			v.snippet()
		}
		return
	}
	v.paragraph("cause")
	if v.r.chance(300) {
		v.quotation()
	}
	if v.r.chance(800) {
		v.paragraph("fix")
		v.code()
	} else {
		v.paragraph("advice")
	}
	if v.r.chance(550) {
		v.paragraph("explain")
	}
	if v.r.chance(330) {
		v.paragraph("steps")
		v.list("steps.item", v.r.chance(500))
	}
	if v.r.chance(330) {
		v.paragraph("alternative")
		v.snippet()
	}
	if link {
		v.paragraph("link.answer")
		v.anchor()
	}
	if v.r.chance(250) {
		v.paragraph("docs")
	}
	if v.r.chance(45) {
		v.long()
	}
	if v.r.chance(450) {
		v.paragraph("caveat")
	}
}

// paragraph writes one of a section's phrases as a paragraph.
func (v *voice) paragraph(section string) {
	v.gap()
	v.buf = append(v.buf, pOpen...)
	v.say(section, html)
	v.buf = append(v.buf, pShut+nl...)
}

// gap leaves an empty line before all but the first piece of an older body.
func (v *voice) gap() {
	if !v.tight && !endsInQuote(v.buf) {
		v.buf = append(v.buf, nl...)
	}
}

// endsInQuote tells whether the attribute has just begun.
func endsInQuote(b []byte) bool { return len(b) > 0 && b[len(b)-1] == '"' }

// code writes a block of code in the thread's language, at times in its second.
func (v *voice) code() {
	own := v.language
	if v.thread.second != nil && v.r.chance(350) {
		v.language = v.thread.second
	}
	v.snippet()
	v.language = own
}

// snippet writes a block of code, each of the language's in turn.
func (v *voice) snippet() {
	v.openCode()
	v.write(v.language.code[v.codeTurn%len(v.language.code)], plain)
	v.codeTurn++
	v.buf = append(v.buf, nl+preShut...)
}

// openCode opens a block. Newer posts may name the language.
func (v *voice) openCode() {
	v.gap()
	if v.tight && v.language.class != "" && v.r.chance(400) {
		v.buf = append(v.buf, `&lt;pre class=&quot;`...)
		v.buf = append(v.buf, v.language.class...)
		v.buf = append(v.buf, ` prettyprint-override&quot;&gt;&lt;code&gt;`...)
		return
	}
	v.buf = append(v.buf, preOpen...)
}

// failure writes the error, below the stack that led to it where the language
// prints one.
func (v *voice) failure() {
	v.gap()
	v.buf = append(v.buf, preOpen...)
	if t := v.language.trace; t != nil && v.r.chance(550) {
		v.stack(t, 2+v.r.spread(4))
	} else {
		v.stable(v.thread.fault.message[html], html)
		v.buf = append(v.buf, nl...)
	}
	v.buf = append(v.buf, preShut...)
}

func (v *voice) stack(t *trace, frames int) {
	v.write(t.head, html)
	for range frames {
		v.write(t.frames[v.r.below(len(t.frames))], html)
	}
	v.write(t.tail, html)
}

// long writes what makes a post several kilobytes long: a log, a deep stack, or
// all of the code.
func (v *voice) long() {
	switch kind := v.r.below(3); {
	case kind == 0:
		v.paragraph("long.log")
		v.openLog()
		for range 20 + v.r.below(60) {
			v.write(v.log[v.r.below(len(v.log))], plain)
			v.buf = append(v.buf, nl...)
		}
		v.buf = append(v.buf, preShut...)
	case kind == 1 && v.language.trace != nil:
		v.paragraph("long.trace")
		v.openLog()
		v.stack(v.language.trace, 25+v.r.below(40))
		v.buf = append(v.buf, preShut...)
	default:
		v.paragraph("long.code")
		for range 4 + v.r.below(12) {
			v.snippet()
		}
	}
}

func (v *voice) openLog() {
	v.gap()
	v.buf = append(v.buf, preOpen...)
}

func (v *voice) list(section string, numbered bool) {
	open, shut := ulOpen, ulShut
	if numbered {
		open, shut = olOpen, olShut
	}
	v.gap()
	v.buf = append(v.buf, open...)
	all := v.corpus.say[section]
	first := v.r.below(len(all))
	for i := range 2 + v.r.below(3) {
		v.buf = append(v.buf, liOpen...)
		v.write(all[(first+i)%len(all)][html], html)
		v.buf = append(v.buf, liShut...)
		v.turn++
	}
	v.buf = append(v.buf, shut...)
}

// quotation repeats what the question says, as answers do.
func (v *voice) quotation() {
	v.gap()
	v.buf = append(v.buf, quote+pOpen...)
	v.say("quote", html)
	v.buf = append(v.buf, pShut+nl+unquote...)
}

// anchor writes a paragraph that is a link to the other thread's question.
func (v *voice) anchor() {
	v.gap()
	v.buf = append(v.buf, pOpen...)
	v.linkOther()
	v.buf = append(v.buf, pShut+nl...)
}

// duplicate writes the notice that old dumps have at the head of a duplicate.
func (v *voice) duplicate() {
	v.buf = append(v.buf, quote+pOpen+"&lt;strong&gt;Possible Duplicate:&lt;/strong&gt;&lt;br&gt;"+nl...)
	v.linkOther()
	v.buf = append(v.buf, pShut+nl+unquote...)
}

// linkOther writes the other thread's title as a link to it.
func (v *voice) linkOther() {
	v.buf = append(v.buf, "&lt;a href=&quot;https://stackoverflow.com/questions/"...)
	v.buf = appendInt(v.buf, v.id(v.other.slot))
	v.buf = append(v.buf, "&quot;&gt;"...)
	v.thread = &v.other
	v.title(html)
	v.thread = &v.own
	v.buf = append(v.buf, "&lt;/a&gt;"...)
}
