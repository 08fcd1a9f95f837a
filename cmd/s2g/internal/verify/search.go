package verify

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"s2g/cmd/s2g/internal/oracle"
)

// yield takes a subject, the tally of a quad with it, or what takes one back, and
// the file that it is in.
type yield func(subject []byte, t oracle.Tally, file string)

func one(crc uint32) oracle.Tally { return oracle.Tally{Count: 1, Sum: uint64(crc)} }

// lister lists what one side holds, in any order. It is run twice.
type lister func(ctx context.Context, yield yield) error

func locked(y yield) yield {
	var mu sync.Mutex
	return func(subject []byte, t oracle.Tally, file string) {
		mu.Lock()
		defer mu.Unlock()
		y(subject, t, file)
	}
}

// buckets bounds the memory of a search: a first pass finds a bucket of subjects
// whose sums differ, a second the subjects in it.
const buckets = 1 << 14

func bucketOf(subject []byte) uint32 { return oracle.CRC(0, subject) % buckets }

// entry is what both sides have of a subject.
type entry struct {
	sides [2]oracle.Tally
	file  string
}

// search says of which subject two sides differ; empty where of none.
func search(ctx context.Context, left string, a lister, right string, b lister) (string, error) {
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
	entries := map[string]*entry{}
	for i, list := range sides {
		err := list(ctx, func(subject []byte, t oracle.Tally, file string) {
			if bucketOf(subject) != bucket {
				return
			}
			e := entries[string(subject)]
			if e == nil {
				e = &entry{}
				entries[string(subject)] = e
			}
			e.sides[i].Merge(t)
			if file != "" {
				e.file = file
			}
		})
		if err != nil {
			return "", fmt.Errorf("searching for what differs: %w", err)
		}
	}
	subject, e := first(entries)
	if e == nil {
		return "", nil
	}
	return "; " + e.describe(subject, left, right), nil
}

// first is the differing entry with the smallest number, so that a report does
// not depend on order.
func first(entries map[string]*entry) (subject string, e *entry) {
	for s, candidate := range entries {
		if candidate.sides[0] == candidate.sides[1] {
			continue
		}
		if e == nil || cmp.Or(cmp.Compare(len(s), len(subject)), cmp.Compare(s, subject)) < 0 {
			subject, e = s, candidate
		}
	}
	return subject, e
}

func (e *entry) describe(subject, left, right string) string {
	in := ""
	if e.file != "" {
		in = " (" + e.file + ")"
	}
	n, m := e.sides[0].Count, e.sides[1].Count
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
