package threads

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"s2g/schema"
)

// GraphSet is the number of a set of graphs; 0 is the empty set. Within one Index
// equal sets have equal numbers; numbers of different indexes are unrelated.
type GraphSet uint32

// graphSets numbers sets of graphs. Posts have few different sets, so a post holds
// a number, and the width of a word does not limit the number of languages.
type graphSets struct {
	languages map[string]int // tag to position in the language table
	site      int            // position of the graph of all questions; -1: none
	remainder int            // position of the graph of questions without a language; -1: none

	members atomic.Pointer[[][]int] // by GraphSet; it only grows, so readers take no lock

	mu     sync.RWMutex
	byKey  map[string]GraphSet // key: the members, four bytes each
	unions map[[2]GraphSet]GraphSet
}

func newGraphSets(langs []schema.Language, other bool) *graphSets {
	s := &graphSets{
		languages: make(map[string]int, len(langs)),
		site:      -1,
		remainder: -1,
		byKey:     map[string]GraphSet{"": 0},
		unions:    make(map[[2]GraphSet]GraphSet),
	}
	for i, l := range langs {
		if l.Tag == schema.SiteTag {
			s.site = i
			continue
		}
		s.languages[l.Tag] = i
	}
	if other {
		s.remainder = len(langs)
	}
	s.members.Store(&[][]int{{}})
	return s
}

// Graphs returns the positions of a set's graphs in the language table, in
// ascending order; the length of the table is the position of the remainder
// graph. The caller must not modify the slice.
func (s *graphSets) Graphs(set GraphSet) []int { return (*s.members.Load())[set] }

// SetOf returns the graphs of a question with these tags, written |a|b|.
func (s *graphSets) SetOf(tags []byte) GraphSet {
	var room [8]int
	graphs := room[:0]
	for tag := range schema.SplitTags(tags) {
		if g, ok := s.languages[string(tag)]; ok {
			graphs = append(graphs, g)
		}
	}
	if s.site >= 0 {
		graphs = append(graphs, s.site)
	}
	if len(graphs) == 0 {
		if s.remainder < 0 {
			return 0
		}
		graphs = append(graphs, s.remainder)
	}
	slices.Sort(graphs)
	return s.intern(slices.Compact(graphs))
}

// Union returns the set of the graphs that are in a, in b, or in both.
func (s *graphSets) Union(a, b GraphSet) GraphSet {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	case a > b:
		a, b = b, a
	}
	s.mu.RLock()
	u, ok := s.unions[[2]GraphSet{a, b}]
	s.mu.RUnlock()
	if ok {
		return u
	}
	graphs := slices.Concat(s.Graphs(a), s.Graphs(b))
	slices.Sort(graphs)
	u = s.intern(slices.Compact(graphs))
	s.mu.Lock()
	s.unions[[2]GraphSet{a, b}] = u
	s.mu.Unlock()
	return u
}

// intern returns the number of a set, whose graphs are ascending. It keeps no
// reference to graphs.
func (s *graphSets) intern(graphs []int) GraphSet {
	var room [32]byte
	key := room[:0]
	for _, g := range graphs {
		key = binary.LittleEndian.AppendUint32(key, uint32(g))
	}
	s.mu.RLock()
	set, ok := s.byKey[string(key)]
	s.mu.RUnlock()
	if ok {
		return set
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if set, ok := s.byKey[string(key)]; ok {
		return set
	}
	members := append(*s.members.Load(), slices.Clone(graphs)) // the part of the array that readers use does not change
	s.members.Store(&members)
	set = GraphSet(len(members) - 1)
	s.byKey[string(key)] = set
	return set
}
