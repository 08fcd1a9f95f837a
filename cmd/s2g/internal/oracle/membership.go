package oracle

import (
	"bytes"
	"context"
	"encoding/binary"
	"iter"
	"slices"

	"s2g/schema"
	"s2g/schema/tables"
)

// memberships has the graphs of questions and answers by id, in 17 bytes each. Ids are
// grouped in pages, so that an id far from others takes one page.
type memberships struct {
	pages         map[int64]*page
	sets          []graphSet           // the different sets of graphs by number; 0 is the empty set
	setNumbers    map[string]uint32    // positions in sets, by encoded set
	languageLists [][]byte             // by number of a set: the tags of its languages, with bars between them
	tags          map[string]graphMask // the graphs that describe a tag: those of its questions
	least, most   int64                // the smallest and the largest id
	newest        []byte               // the latest CreationDate of a post
	questions     dumpQuestions
	early         []int64 // answers whose question comes later
}

// page has the posts of consecutive ids.
type page struct {
	posts   [pageSize]postMembership
	refs    [pageSize]int64       // of a question: its AcceptedAnswerId; of an answer: its question
	answers [pageSize]answerCount // to questions of graphs
}

const (
	pageBits = 7
	pageSize = 1 << pageBits
)

// postMembership is what scans need of a question or an answer. The zero value is that of
// a post in no graph.
type postMembership struct {
	bits  uint32 // flags, and the number of the set of graphs
	score int32  // of a question: that of its accepted answer; of an answer: its own
}

const (
	isQuestion  = 1 << 31
	isAnswer    = 1 << 30
	isAnswered  = 1 << 29 // a question: an answer is in the dump
	isAccepted  = 1 << 28 // an answer: its question's accepted one
	hasAccepted = 1 << 27 // a question
	inDump      = 1 << 26 // a post of any type
	isWiki      = 1 << 25 // a tag wiki or an excerpt
	names       = 1 << 24 // a question with an AcceptedAnswerId
	setMask     = 1<<24 - 1
)

func (p postMembership) is(flag uint32) bool { return p.bits&flag != 0 }

func (p postMembership) inGraph() bool { return p.bits&setMask != 0 }

// path returns the beginning of the post's IRI, without the site.
func (p postMembership) path() string {
	if p.is(isAnswer) {
		return answerPath
	}
	return questionPath
}

// at returns the membership of a post.
func (m *memberships) at(id int64) postMembership {
	if page := m.pages[id>>pageBits]; page != nil {
		return page.posts[id&(pageSize-1)]
	}
	return postMembership{}
}

// entry returns the membership of a post for changes.
func (m *memberships) entry(id int64) *postMembership {
	p := m.pages[id>>pageBits]
	if p == nil {
		p = new(page)
		m.pages[id>>pageBits] = p
	}
	return &p.posts[id&(pageSize-1)]
}

// ref returns the AcceptedAnswerId of a question of a graph, or the question of an answer.
func (m *memberships) ref(id int64) int64 { return m.pages[id>>pageBits].refs[id&(pageSize-1)] }

// answersOf returns the answers to a question of a graph.
func (m *memberships) answersOf(id int64) answerCount {
	return m.pages[id>>pageBits].answers[id&(pageSize-1)]
}

// all yields each post that is in a graph.
func (m *memberships) all() iter.Seq2[int64, postMembership] {
	return func(yield func(int64, postMembership) bool) {
		for at, page := range m.pages {
			for i, p := range page.posts {
				if p.inGraph() && !yield(at<<pageBits|int64(i), p) {
					return
				}
			}
		}
	}
}

// graphs returns the graphs of a post.
func (m *memberships) graphs(p postMembership) graphSet { return m.sets[p.bits&setMask] }

// either returns the union of the graphs of two posts.
func (m *memberships) either(a, b postMembership) graphSet {
	if a.bits&setMask == b.bits&setMask {
		return m.graphs(a)
	}
	in := slices.Concat(m.graphs(a), m.graphs(b))
	slices.Sort(in)
	return slices.Compact(in)
}

// languages returns the tags of a post's languages, with bars between them.
func (m *memberships) languages(p postMembership) []byte { return m.languageLists[p.bits&setMask] }

// newMemberships returns memberships without posts.
func (r *tableReader) newMemberships() *memberships {
	return &memberships{
		pages: map[int64]*page{}, sets: []graphSet{nil}, setNumbers: map[string]uint32{"": 0},
		languageLists: [][]byte{{}}, tags: map[string]graphMask{},
		questions: dumpQuestions{byTag: map[string]schema.TagCount{}, byGraph: make([]int64, r.options.graphs())},
	}
}

// readMemberships reads the posts of the selection.
func (r *tableReader) readMemberships(ctx context.Context) error {
	r.memberships = r.newMemberships()
	c := &columns{}
	at := placeMembership(c)
	query := "SELECT " + c.String() + " FROM Posts p WHERE TRUE" + r.selection.members.in("p.Id") + " ORDER BY p.Id"
	err := r.db.EachRow(ctx, query, func(row [][]byte) error {
		r.enter(row, at)
		return nil
	})
	r.endMemberships()
	return err
}

// membershipColumns are the positions of the columns that memberships follow from.
type membershipColumns struct{ id, kind, parent, accepted, tags, score, created int }

func placeMembership(c *columns) membershipColumns {
	return membershipColumns{
		c.place("p.Id"), c.place("p.PostTypeId"), c.place("p.ParentId"), c.place("p.AcceptedAnswerId"), c.place("p.Tags"), c.place("p.Score"), c.place("p.CreationDate"),
	}
}

// enter enters a post, in the order of ids. Its membership is complete after endMemberships; it returns its id, and what
// its row alone requires of it: whether it is a question, or an answer, of graphs.
func (r *tableReader) enter(row [][]byte, at membershipColumns) (id int64, post postMembership) {
	m := r.memberships
	if id = tables.Int(row[at.id]); len(m.pages) == 0 {
		m.least = id
	}
	m.most = id
	if bytes.Compare(row[at.created], m.newest) > 0 {
		m.newest = append(m.newest[:0], row[at.created]...)
	}
	entry := m.entry(id)
	entry.bits |= inDump
	switch kind := tables.Int(row[at.kind]); {
	case kind == schema.PostTagWiki || kind == schema.PostTagWikiExcerpt:
		entry.bits |= isWiki
	case kind == schema.PostQuestion:
		in := r.graphsOf(row[at.tags])
		m.questions.addTags(in, row[at.tags])
		r.addQuestion(id, in, row[at.tags], row[at.accepted])
	case kind == schema.PostAnswer && row[at.parent] != nil:
		parent := tables.Int(row[at.parent])
		entry.score = int32(tables.Int(row[at.score]))
		m.pages[id>>pageBits].refs[id&(pageSize-1)] = parent
		if parent > id {
			m.early = append(m.early, id)
		} else {
			m.addAnswer(id, parent)
		}
	}
	return id, *entry
}

// endMemberships finds the questions of early answers, the accepted answers, and those that are possibly better. A
// question has an accepted answer only if that is in the dump and answers this question. Of the early answers it keeps
// those in graphs, and returns the number of the others.
func (r *tableReader) endMemberships() (outside int64) {
	m := r.memberships
	early := len(m.early)
	for _, id := range m.early {
		m.addAnswer(id, m.ref(id))
	}
	m.early = slices.DeleteFunc(m.early, func(id int64) bool { return !m.at(id).is(isAnswer) })
	for id, q := range m.all() {
		if accepted := m.ref(id); q.is(isQuestion) && q.is(names) && m.at(accepted).is(isAnswer) && m.ref(accepted) == id {
			question, answer := m.entry(id), m.entry(accepted)
			question.bits |= hasAccepted
			question.score = answer.score
			answer.bits |= isAccepted
		}
	}
	for id, a := range m.all() {
		if a.is(isAnswer) {
			question := m.ref(id)
			answers := &m.pages[question>>pageBits].answers[question&(pageSize-1)]
			*answers = answers.with(m.isBetter(a, m.at(question)))
		}
	}
	return int64(early - len(m.early))
}

// isBetter reports whether an answer has a higher score than the accepted one of its question.
func (m *memberships) isBetter(answer, question postMembership) bool {
	return question.is(hasAccepted) && answer.score > question.score
}

// graphsOf returns the graphs of a question with these tags.
func (r *tableReader) graphsOf(tags []byte) (in graphSet) {
	positions := r.positions
	for tag := range schema.SplitTags(tags) {
		if g, ok := positions[string(tag)]; ok {
			in = append(in, g)
		}
	}
	if g, ok := positions[schema.SiteTag]; ok { // every question is in the site's graph
		in = append(in, g)
	}
	if in == nil && r.options.Other {
		return graphSet{len(r.options.Languages)}
	}
	slices.Sort(in)
	return slices.Compact(in)
}

// addQuestion adds a question, whose AcceptedAnswerId may be nil.
func (r *tableReader) addQuestion(id int64, in graphSet, tags, accepted []byte) {
	if len(in) == 0 {
		return
	}
	m := r.memberships
	q := m.entry(id)
	q.bits |= isQuestion | r.setNumber(in)
	if accepted != nil {
		q.bits |= names
		m.pages[id>>pageBits].refs[id&(pageSize-1)] = tables.Int(accepted)
	}
	for tag := range schema.SplitTags(tags) {
		if known, ok := m.tags[string(tag)]; !ok || !known.has(in) {
			m.tags[string(tag)] = known.with(in.mask())
		}
	}
}

// addAnswer adds an answer if its parent is a question of a graph.
func (m *memberships) addAnswer(id, parent int64) {
	q := m.at(parent)
	if !q.is(isQuestion) {
		return
	}
	m.entry(parent).bits |= isAnswered
	m.entry(id).bits |= isAnswer | q.bits&setMask
}

// setNumber returns the number of a set of graphs, and adds the set if it is new.
func (r *tableReader) setNumber(in graphSet) uint32 {
	m := r.memberships
	var key []byte
	for _, g := range in {
		key = binary.AppendUvarint(key, uint64(g))
	}
	n, ok := m.setNumbers[string(key)]
	if !ok {
		n = uint32(len(m.sets))
		m.setNumbers[string(key)] = n
		m.sets = append(m.sets, in)
		list := []byte{}
		for _, g := range in {
			if g < len(r.options.Languages) && r.options.Languages[g].Tag != schema.SiteTag {
				list = append(append(list, r.options.Languages[g].Tag...), '|')
			}
		}
		m.languageLists = append(m.languageLists, withoutLast(list))
	}
	return n
}

// graphSet is some graphs by position, ascending.
type graphSet []int

// mask returns the set, which is not empty, as bits.
func (s graphSet) mask() graphMask {
	m := make(graphMask, s[len(s)-1]/64+1)
	for _, g := range s {
		m[g/64] |= 1 << (g % 64)
	}
	return m
}

// graphMask is some graphs as bits.
type graphMask []uint64

func (m graphMask) set() (s graphSet) {
	for g := range len(m) * 64 {
		if m[g/64]>>(g%64)&1 != 0 {
			s = append(s, g)
		}
	}
	return s
}

// has reports whether the mask has all graphs of a set.
func (m graphMask) has(in graphSet) bool {
	for _, g := range in {
		if g/64 >= len(m) || m[g/64]>>(g%64)&1 == 0 {
			return false
		}
	}
	return true
}

// with returns the union of two masks. It may change m.
func (m graphMask) with(n graphMask) graphMask {
	for len(m) < len(n) {
		m = append(m, 0)
	}
	for i, bits := range n {
		m[i] |= bits
	}
	return m
}
