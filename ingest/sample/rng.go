package sample

import (
	"math/bits"

	"s2g/schema"
)

// An rng is a SplitMix64 generator (Steele, Lea and Flood, Fast splittable
// pseudorandom number generators, OOPSLA 2014). It does not use math/rand, because
// the bytes of a sample must not depend on the Go version, and because a generator
// must be cheap to start for each post.
type rng uint64

const golden = 0x9e3779b97f4a7c15

// A stream separates the draws for one purpose from those for others that start from
// the same number.
type stream uint64

const (
	streamBlock stream = iota + 1
	streamID
	streamClock
	streamThread
	streamPost
	streamEdit
	streamBody
	streamTitle
	streamComments
	streamComment
	streamVotes
	streamLinks
	streamShuffle
)

// newRNG returns the generator of number n in a stream of a seed.
func newRNG(seed uint64, s stream, n int64) rng {
	return rng(schema.Mix64(schema.Mix64(seed+uint64(s)*golden-golden) + uint64(n)*golden - golden))
}

func (r *rng) next() uint64 {
	next := schema.Mix64(uint64(*r))
	*r += golden
	return next
}

// below returns a number from 0 to n-1; n is positive. The bias of the
// multiplication, n in 2^64, is negligible here.
func (r *rng) below(n int) int {
	hi, _ := bits.Mul64(r.next(), uint64(n))
	return int(hi)
}

// chance returns true in perMille of a thousand draws.
func (r *rng) chance(perMille int) bool { return r.below(1000) < perMille }

// geometric returns 0, 1, 2 … with probability 1/2, 1/4, 1/8 …: mean 1.
func (r *rng) geometric() int { return bits.TrailingZeros64(r.next() | 1<<40) }

// logUniform returns a number from 0 to 2^pow-1 whose logarithm is about uniform:
// mostly small, sometimes large.
func (r *rng) logUniform(pow int) int { return r.below(1 << r.below(pow+1)) }

// mostlyLow returns a number from 0 to n-1, small ones more often: the smaller of two.
func (r *rng) mostlyLow(n int) int { return min(r.below(n), r.below(n)) }
