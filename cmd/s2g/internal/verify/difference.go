package verify

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"s2g/cmd/s2g/internal/oracle"
)

// lister lists the contents of one side of a comparison, in any order. findDifference
// runs it twice.
type lister func(ctx context.Context, yield yieldFunc) error

// yieldFunc receives a subject, a tally to add to the subject's, and the file that holds
// it, "" for a subject of no file.
type yieldFunc func(subject []byte, t oracle.Tally, file string)

// tallyOf returns the tally of one quad.
func tallyOf(crc uint32) oracle.Tally { return oracle.Tally{Count: 1, Sum: uint64(crc)} }

// locked returns yield for concurrent use.
func locked(yield yieldFunc) yieldFunc {
	var mu sync.Mutex
	return func(subject []byte, t oracle.Tally, file string) {
		mu.Lock()
		defer mu.Unlock()
		yield(subject, t, file)
	}
}

// buckets bounds the memory of findDifference: a first pass finds a bucket of subjects
// whose sums differ, a second pass compares only the subjects of that bucket.
const buckets = 1 << 14

func bucketOf(subject []byte) uint32 { return oracle.CRC(0, subject) % buckets }

// bothSides has the tallies of a subject on both sides.
type bothSides struct {
	sides [2]oracle.Tally
	file  string
}

// findDifference describes the first subject that two sides hold differently, as an
// appendix that begins with a semicolon. It returns "" where there is none.
func findDifference(ctx context.Context, left string, a lister, right string, b lister) (string, error) {
	sides := [2]lister{a, b}
	var sums [2][buckets]oracle.Tally
	for i, list := range sides {
		err := list(ctx, func(subject []byte, t oracle.Tally, _ string) { sums[i][bucketOf(subject)].Merge(t) })
		if err != nil {
			return "", fmt.Errorf("searching for what differs: %w", err)
		}
	}
	bucket := uint32(0)
	for bucket < buckets && sums[0][bucket] == sums[1][bucket] {
		bucket++
	}
	subjects := map[string]*bothSides{}
	for i, list := range sides {
		err := list(ctx, func(subject []byte, t oracle.Tally, file string) {
			if bucketOf(subject) != bucket {
				return
			}
			s := subjects[string(subject)]
			if s == nil {
				s = &bothSides{}
				subjects[string(subject)] = s
			}
			s.sides[i].Merge(t)
			if file != "" {
				s.file = file
			}
		})
		if err != nil {
			return "", fmt.Errorf("searching for what differs: %w", err)
		}
	}
	// the smallest number first, so that the report does not depend on the order of lists
	first := ""
	for subject, s := range subjects {
		if s.sides[0] != s.sides[1] && (first == "" || cmp.Or(cmp.Compare(len(subject), len(first)), cmp.Compare(subject, first)) < 0) {
			first = subject
		}
	}
	if first == "" {
		return "", nil
	}
	return "; " + subjects[first].describe(first, left, right), nil
}

func (s *bothSides) describe(subject, left, right string) string {
	in := ""
	if s.file != "" {
		in = " (" + s.file + ")"
	}
	n, m := s.sides[0].Count, s.sides[1].Count
	switch {
	case n == 0:
		return fmt.Sprintf("%s%s is missing in %s", subject, in, left)
	case m == 0:
		return fmt.Sprintf("%s%s is missing in %s", subject, in, right)
	case n != m:
		return fmt.Sprintf("%s%s has %d in %s, %d in %s", subject, in, n, left, m, right)
	}
	return fmt.Sprintf("%s%s has another value in %s than in %s", subject, in, left, right)
}
