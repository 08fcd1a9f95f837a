package threads

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"s2g/schema"
)

// GraphSet is a set of graphs, by number; 0 is the empty set. Equal sets have equal
// numbers within one Index. Numbers mean nothing outside it.
type GraphSet uint32

// sets interns sets of graphs. Posts have few different ones, so a post holds
// a number, and the number of languages is not bounded by a word's bits.
type sets struct {
	languages map[string]int // tag to position in the language table
	remainder int            // the graph of questions without a language; -1: none

	members atomic.Pointer[[][]int] // by GraphSet; grows only, so readers take no lock

	mu     sync.RWMutex
	byKey  map[string]GraphSet // members, four bytes each, to GraphSet
	unions map[[2]GraphSet]GraphSet
}

func newSets(langs []schema.Language, other bool) *sets {
	s := &sets{
		languages: make(map[string]int, len(langs)),
		remainder: -1,
		byKey:     map[string]GraphSet{"": 0},
		unions:    make(map[[2]GraphSet]GraphSet),
	}
	for i, l := range langs {
		s.languages[l.Tag] = i
	}
	if other {
		s.remainder = len(langs)
	}
	s.members.Store(&[][]int{{}})
	return s
}

// Graphs returns the positions of a set's graphs in the language table,
// ascending; the table's length stands for the remainder graph. The caller
// must not change it.
func (s *sets) Graphs(of GraphSet) []int { return (*s.members.Load())[of] }

// SetOf returns the graphs of a question with these tags, written |a|b|.
func (s *sets) SetOf(tags []byte) GraphSet {
	var room [8]int
	graphs := room[:0]
	for len(tags) > 0 {
		var tag []byte
		tag, tags, _ = bytes.Cut(tags, []byte{'|'})
		if g, ok := s.languages[string(tag)]; ok && len(tag) > 0 {
			graphs = append(graphs, g)
		}
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
func (s *sets) Union(a, b GraphSet) GraphSet {
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

// intern returns the number of a set, given ascending. It keeps no reference to graphs.
func (s *sets) intern(graphs []int) GraphSet {
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
	members := append(*s.members.Load(), slices.Clone(graphs)) // what readers see of the array does not change
	s.members.Store(&members)
	set = GraphSet(len(members) - 1)
	s.byKey[string(key)] = set
	return set
}
