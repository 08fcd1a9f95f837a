package threads

import "math/bits"

// perBucket is how many ids a bucket has, on average, where ids are dense.
const perBucket = 16

// lookup narrows the search for an id in a sorted array. Its buckets are equal
// ranges of ids, as many as there are ids by perBucket, whatever the largest
// id: ids far above the others share the last bucket. In the worst case, of
// ids that cluster, a search in it is a binary search of all.
type lookup struct {
	base  int64
	shift uint
	first []uint32 // of each bucket, the position of its first id
}

func newLookup(ids []int64) lookup {
	if len(ids) == 0 {
		return lookup{}
	}
	// The highest sixty-fourth of the ids must not stretch the buckets of the others.
	top := ids[len(ids)*63/64]
	buckets := len(ids)/perBucket + 1
	l := lookup{base: ids[0], first: make([]uint32, buckets)}
	width := (uint64(top)-uint64(l.base))/uint64(buckets) + 1
	l.shift = uint(bits.Len64(width - 1)) // the power of two at or above width
	bucket := 0
	for i, id := range ids {
		for ; bucket < buckets && uint64(bucket) <= l.bucket(id); bucket++ {
			l.first[bucket] = uint32(i)
		}
	}
	l.first = l.first[:bucket]
	return l
}

func (l *lookup) bucket(id int64) uint64 { return (uint64(id) - uint64(l.base)) >> l.shift }

// neighbours returns the positions from lo to before hi among which id stands,
// if it is there. n is the number of ids.
func (l *lookup) neighbours(id int64, n int) (lo, hi int) {
	if n == 0 || id < l.base {
		return 0, 0
	}
	last := uint64(len(l.first) - 1)
	if k := l.bucket(id); k < last {
		return int(l.first[k]), int(l.first[k+1])
	}
	return int(l.first[last]), n
}
