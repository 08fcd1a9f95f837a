package sample

import "strconv"

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

// phrase draws and writes a phrase of a section of prose.txt.
func (w *bodyWriter) phrase(section string, m format) {
	all := w.corpus.prose[section]
	w.write(all[w.r.below(len(all))][m], m)
}

// write writes a template and fills its placeholders.
func (w *bodyWriter) write(t template, m format) {
	for i := range t {
		w.buf = append(w.buf, t[i].text...)
		if t[i].placeholder != placeholderNone {
			w.writePlaceholder(t[i].placeholder, m)
		}
	}
}

func (w *bodyWriter) writePlaceholder(h placeholder, m format) {
	t := w.thread
	switch h {
	case placeholderLanguage:
		w.write(t.language.name[m], m)
	case placeholderTag:
		w.buf = append(w.buf, t.language.tag...)
	case placeholderAct:
		w.writeStable(t.act[m], m)
	case placeholderSymptom, placeholderSymptomStart:
		w.writeClause(t.topic.symptom, t.symptom, h == placeholderSymptomStart, m)
	case placeholderCause, placeholderCauseStart:
		w.writeClause(t.topic.cause, t.symptom+w.variation, h == placeholderCauseStart, m)
	case placeholderFix, placeholderFixStart:
		w.writeClause(t.topic.fix, t.symptom+w.variation, h == placeholderFixStart, m)
	case placeholderThing:
		w.write(t.domain.thing[m], m)
	case placeholderThings:
		w.write(t.domain.things[m], m)
	case placeholderSource:
		w.write(t.domain.source[m], m)
	case placeholderLeft:
		w.write(t.topic.left[m], m)
	case placeholderRight:
		w.write(t.topic.right[m], m)
	case placeholderError:
		w.writeStable(t.message.message[m], m)
	case placeholderErrorName:
		w.writeStable(t.message.name[m], m)
	case placeholderContext:
		w.write(t.context[m], m)
	case placeholderLib:
		w.write(w.language.libs[w.r.mostlyLow(len(w.language.libs))][m], m)
	case placeholderVersion:
		w.writeVersion(m)
	case placeholderNumber:
		w.buf = strconv.AppendInt(w.buf, int64(2+w.r.logUniform(11)), 10)
	case placeholderSmall:
		w.buf = append(w.buf, byte('2'+w.r.below(8)))
	case placeholderName:
		w.buf = append(w.buf, displayNames[w.r.below(len(displayNames))]...)
	case placeholderMoment:
		w.buf = appendTime(w.buf, w.clock.at(t.slot)-int64(w.r.below(day)))
	case placeholderTagName:
		w.buf = append(w.buf, w.tagName...)
	default:
		w.writeIdentifier(h)
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
func (w *bodyWriter) writeClause(all []phrase, i int, start bool, m format) {
	at := len(w.buf)
	w.writeStable(all[i%len(all)][m], m)
	if start {
		capitalise(w.buf, at)
	}
}

// writeIdentifier writes a name in the spelling of the language.
func (w *bodyWriter) writeIdentifier(h placeholder) {
	global := w.language.style
	local := global
	if global == pascal {
		local = camel
	}
	d, t := w.thread.domain, w.thread.topic
	var name []byte
	switch h {
	case placeholderField:
		name = d.field[local]
	case placeholderFieldPascal:
		name = d.field[pascal]
	case placeholderColl:
		name = d.coll[local]
	case placeholderItem:
		name = d.item[local]
	case placeholderType:
		name = d.item[pascal]
	case placeholderFn:
		name = t.fn[global]
	case placeholderFnPascal:
		name = t.fn[pascal]
	case placeholderFnUpper:
		name = t.fn[upper]
	case placeholderA:
		name = t.a[local]
	case placeholderB:
		name = t.b[local]
	}
	w.buf = append(w.buf, name...)
}
