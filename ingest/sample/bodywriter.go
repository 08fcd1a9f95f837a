package sample

import "strconv"

// A hole is what a post's own words stand in for.
type hole uint8

const (
	holeNone hole = iota
	holeLanguage
	holeTag
	holeAct
	holeThing
	holeThings
	holeSource
	holeField
	holeFieldPascal
	holeColl
	holeItem
	holeType
	holeFn
	holeFnPascal
	holeFnUpper
	holeA
	holeB
	holeLib
	holeVersion
	holeError
	holeErrorName
	holeContext
	holeNumber
	holeSmall
	holeSymptom
	holeSymptomStart
	holeCause
	holeCauseStart
	holeFix
	holeFixStart
	holeLeft
	holeRight
	holeName
	holeMoment
	holeTagName
)

var holes = map[string]hole{
	"lang": holeLanguage, "tag": holeTag, "act": holeAct,
	"thing": holeThing, "things": holeThings, "source": holeSource,
	"field": holeField, "Field": holeFieldPascal, "coll": holeColl, "item": holeItem, "type": holeType,
	"fn": holeFn, "Fn": holeFnPascal, "FN": holeFnUpper, "a": holeA, "b": holeB,
	"lib": holeLib, "version": holeVersion, "error": holeError, "errname": holeErrorName,
	"context": holeContext, "n": holeNumber, "small": holeSmall,
	"symptom": holeSymptom, "Symptom": holeSymptomStart, "cause": holeCause, "Cause": holeCauseStart,
	"fix": holeFix, "Fix": holeFixStart, "left": holeLeft, "right": holeRight,
	"name": holeName, "moment": holeMoment, "tagname": holeTagName,
}

// names of people who are greeted in comments, some outside ASCII.
var people = [...]string{
	"Anna", "Tomás", "Łukasz", "mkp", "dev_null42", "Søren", "Zoë", "陈伟", "Иван", "hal-9", "Renée", "Jörg",
	"Priya", "user5518", "Nguyễn", "kestrel", "Ayşe", "b0b", "Márta", "たろう",
}

// A voice writes the text of one post after another.
type voice struct {
	*site
	thread   *thread
	block    *block
	own      thread // where thread points while a post speaks of itself
	other    thread // a question that this one links to
	r        rng
	language *language // whose code and names are written
	turn     int       // added to the thread's choices, so that answers differ
	codeTurn int       // which snippet comes next
	tagName  string    // of the wiki that is written
	tight    bool      // no empty line between paragraphs
	buf      []byte
}

// say writes one of a section's phrases, drawn.
func (v *voice) say(section string, m mode) {
	all := v.corpus.say[section]
	v.write(all[v.r.below(len(all))][m], m)
}

// write writes a template, its holes filled.
func (v *voice) write(t template, m mode) {
	for i := range t {
		v.buf = append(v.buf, t[i].text...)
		if t[i].hole != holeNone {
			v.fill(t[i].hole, m)
		}
	}
}

func (v *voice) fill(h hole, m mode) {
	t := v.thread
	switch h {
	case holeLanguage:
		v.write(t.language.name[m], m)
	case holeTag:
		v.buf = append(v.buf, t.language.tag...)
	case holeAct:
		v.stable(t.act[m], m)
	case holeSymptom, holeSymptomStart:
		v.sentence(t.topic.symptom, t.symptom, h == holeSymptomStart, m)
	case holeCause, holeCauseStart:
		v.sentence(t.topic.cause, t.symptom+v.turn, h == holeCauseStart, m)
	case holeFix, holeFixStart:
		v.sentence(t.topic.fix, t.symptom+v.turn, h == holeFixStart, m)
	case holeThing:
		v.write(t.domain.thing[m], m)
	case holeThings:
		v.write(t.domain.things[m], m)
	case holeSource:
		v.write(t.domain.source[m], m)
	case holeLeft:
		v.write(t.topic.left[m], m)
	case holeRight:
		v.write(t.topic.right[m], m)
	case holeError:
		v.stable(t.fault.message[m], m)
	case holeErrorName:
		v.stable(t.fault.name[m], m)
	case holeContext:
		v.write(t.context[m], m)
	case holeLib:
		v.write(v.language.libs[v.r.low(len(v.language.libs))][m], m)
	case holeVersion:
		v.version(m)
	case holeNumber:
		v.buf = strconv.AppendInt(v.buf, int64(2+v.r.spread(11)), 10)
	case holeSmall:
		v.buf = append(v.buf, byte('2'+v.r.below(8)))
	case holeName:
		v.buf = append(v.buf, people[v.r.below(len(people))]...)
	case holeMoment:
		v.buf = appendTime(v.buf, v.clock.at(t.slot)-int64(v.r.below(day)))
	case holeTagName:
		v.buf = append(v.buf, v.tagName...)
	default:
		v.identifier(h)
	}
}

// stable writes what has the same numbers wherever the thread says it.
func (v *voice) stable(t template, m mode) {
	saved := v.r
	v.r = newRNG(v.seed, streamThread, ^v.thread.slot)
	v.write(t, m)
	v.r = saved
}

// version writes a version of the language that was out by the thread's time, as
// far as versions come evenly.
func (v *voice) version(m mode) {
	all := v.language.versions
	out := 1 + int((v.clock.at(v.thread.slot)-opening)*int64(len(all))/(closing-opening))
	newest := min(out, len(all)) - 1
	v.write(all[max(0, newest-v.r.below(2))][m], m)
}

// sentence writes one of a topic's clauses, at the start of a sentence with a
// capital.
func (v *voice) sentence(all []phrase, i int, start bool, m mode) {
	at := len(v.buf)
	v.stable(all[i%len(all)][m], m)
	if start {
		capitalise(v.buf, at)
	}
}

// identifier writes a name as the language spells it.
func (v *voice) identifier(h hole) {
	of := v.language.style
	local := of
	if of == pascal {
		local = camel
	}
	d, t := v.thread.domain, v.thread.topic
	var name []byte
	switch h {
	case holeField:
		name = d.field[local]
	case holeFieldPascal:
		name = d.field[pascal]
	case holeColl:
		name = d.coll[local]
	case holeItem:
		name = d.item[local]
	case holeType:
		name = d.item[pascal]
	case holeFn:
		name = t.fn[of]
	case holeFnPascal:
		name = t.fn[pascal]
	case holeFnUpper:
		name = t.fn[upper]
	case holeA:
		name = t.a[local]
	case holeB:
		name = t.b[local]
	}
	v.buf = append(v.buf, name...)
}
