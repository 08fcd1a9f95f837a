package oracle

import (
	"context"
	"encoding/binary"
	"iter"
	"slices"

	"s2g/schema"
	"s2g/schema/tables"
)

// member is what is known of a question or an answer that is in a graph.
type member struct {
	bits  uint32 // the flags below, and the number of its set of graphs
	score int32  // of a question: its accepted answer's
}

const (
	isQuestion  = 1 << 31
	isAnswer    = 1 << 30
	isAnswered  = 1 << 29 // a question: an answer is in the dump
	isAccepted  = 1 << 28 // an answer: its question's accepted one
	hasAccepted = 1 << 27 // a question
	setMask     = 1<<27 - 1
)

// members are the posts in graphs, by id: 8 bytes for each id of the dump, in
// pages, so that an id far from others costs a page and not all between.
type members struct {
	pages map[int64]*[pageSize]member
	sets  []graphSet        // that questions are in; 0 is the empty one
	keys  map[string]uint32 // numbers of sets
	words [][]byte          // tags of the languages of each set, with bars between them
	// the graphs that a tag is described in: those of the questions that have it
	tags map[string]graphMask
}

const (
	pageBits = 7
	pageSize = 1 << pageBits
)

// graphSet is some graphs by position, ascending.
type graphSet = []int

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

// has tells whether all of a set are among the mask's graphs.
func (m graphMask) has(in graphSet) bool {
	for _, g := range in {
		if g/64 >= len(m) || m[g/64]>>(g%64)&1 == 0 {
			return false
		}
	}
	return true
}

// with unites two masks. It may change the first.
func (m graphMask) with(n graphMask) graphMask {
	for len(m) < len(n) {
		m = append(m, 0)
	}
	for i, bits := range n {
		m[i] |= bits
	}
	return m
}

// mask is the set as bits.
func mask(in graphSet) graphMask {
	m := make(graphMask, in[len(in)-1]/64+1)
	for _, g := range in {
		m[g/64] |= 1 << (g % 64)
	}
	return m
}

func (m *members) at(id int64) member {
	if page := m.pages[id>>pageBits]; page != nil {
		return page[id&(pageSize-1)]
	}
	return member{}
}

func (m *members) entry(id int64) *member {
	page := m.pages[id>>pageBits]
	if page == nil {
		page = new([pageSize]member)
		m.pages[id>>pageBits] = page
	}
	return &page[id&(pageSize-1)]
}

// graphs are those that a member is in.
func (m *members) graphs(p member) graphSet { return m.sets[p.bits&setMask] }

// all gives each post that is in a graph.
func (m *members) all() iter.Seq2[int64, member] {
	return func(yield func(int64, member) bool) {
		for at, page := range m.pages {
			for i, p := range page {
				if p.bits&setMask != 0 && !yield(at<<pageBits|int64(i), p) {
					return
				}
			}
		}
	}
}

// path is where the IRI of a member begins.
func (p member) path() string {
	if p.bits&isAnswer != 0 {
		return answerPath
	}
	return questionPath
}

// memberQuery reads all questions and answers. An accepted answer counts where
// it is in the dump and answers its question.
func (s *survey) memberQuery() string {
	return `SELECT p.Id, p.PostTypeId, p.ParentId, p.Tags, c.Id, c.Score
	FROM Posts p LEFT JOIN Posts c ON p.PostTypeId=1 AND c.Id=p.AcceptedAnswerId AND c.PostTypeId=2 AND c.ParentId=p.Id
	WHERE p.PostTypeId IN (1,2)` + s.only.members.in("p.Id") + " ORDER BY p.Id"
}

// readMembers finds the graphs of all posts.
func (s *survey) readMembers(ctx context.Context) error {
	m := &members{pages: map[int64]*[pageSize]member{}, sets: []graphSet{nil}, words: [][]byte{{}}, keys: map[string]uint32{"": 0}, tags: map[string]graphMask{}}
	s.members = m
	positions := map[string]int{}
	for i, l := range s.options.Languages {
		positions[l.Tag] = i
	}
	type answer struct{ id, parent int64 }
	var early []answer // whose question comes later
	first := true
	err := s.each(ctx, s.memberQuery(), func(r [][]byte) error {
		id := tables.Int(r[0])
		if first {
			s.least, s.most, first = id, id, false
		}
		s.least, s.most = min(s.least, id), max(s.most, id)
		switch parent := tables.Int(r[2]); {
		case tables.Int(r[1]) == schema.PostQuestion:
			s.addQuestion(id, s.graphsOf(positions, r[3]), r[3], r[4], r[5])
		case r[2] == nil:
		case parent > id:
			early = append(early, answer{id, parent})
		default:
			m.addAnswer(id, parent)
		}
		return nil
	})
	for _, a := range early {
		m.addAnswer(a.id, a.parent)
	}
	return err
}

// graphsOf returns the graphs of a question with these tags.
func (s *survey) graphsOf(positions map[string]int, stored []byte) (in graphSet) {
	for tag := range tagsOf(stored) {
		if g, ok := positions[string(tag)]; ok {
			in = append(in, g)
		}
	}
	if in == nil && s.options.Other {
		return graphSet{len(s.options.Languages)}
	}
	slices.Sort(in)
	return slices.Compact(in)
}

func (s *survey) addQuestion(id int64, in graphSet, tags, accepted, score []byte) {
	if len(in) == 0 {
		return
	}
	m := s.members
	q := m.entry(id)
	q.bits |= isQuestion | s.setNumber(in)
	if accepted != nil {
		q.bits |= hasAccepted
		q.score = int32(tables.Int(score))
		m.entry(tables.Int(accepted)).bits |= isAccepted
	}
	for tag := range tagsOf(tags) {
		if known, ok := m.tags[string(tag)]; !ok || !known.has(in) {
			m.tags[string(tag)] = known.with(mask(in))
		}
	}
}

// addAnswer adds an answer if its parent is a question in a graph.
func (m *members) addAnswer(id, parent int64) {
	in := m.at(parent).bits
	if in&isQuestion == 0 {
		return
	}
	m.entry(parent).bits |= isAnswered
	m.entry(id).bits |= isAnswer | in&setMask
}

// setNumber is the number of a set of graphs.
func (s *survey) setNumber(in graphSet) uint32 {
	m := s.members
	var key []byte
	for _, g := range in {
		key = binary.AppendUvarint(key, uint64(g))
	}
	n, ok := m.keys[string(key)]
	if !ok {
		n = uint32(len(m.sets))
		m.sets = append(m.sets, in)
		words := []byte{}
		for _, g := range in {
			if g < len(s.options.Languages) {
				words = append(append(words, s.options.Languages[g].Tag...), '|')
			}
		}
		m.words = append(m.words, trimLast(words))
		m.keys[string(key)] = n
	}
	return n
}
