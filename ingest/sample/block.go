package sample

// blockSize is the number of slots of a block. An answer stands in the block of
// its question, so this is also how far apart they can be.
const blockSize = 4096

// Every wikiEvery slots, at wikiAt and the one after, stand the wiki and the
// excerpt of one tag, until every tag has its pair.
const (
	wikiEvery     = 128
	wikiAt        = 100
	wikisPerBlock = blockSize / wikiEvery
)

// role is what a slot holds.
type role uint8

const (
	roleFree role = iota
	roleQuestion
	roleAnswer
	roleWiki
	roleExcerpt
)

// A block says what each of blockSize slots holds. Offsets are slots counted
// from the block's first, which is always a question; so offset 0 is never an
// answer and stands for none.
type block struct {
	number int64
	role   [blockSize]role
	owner  [blockSize]uint16 // of an answer: its question; of a wiki: its tag within the block
	nth    [blockSize]uint8  // of an answer: how many there are before it
	first  [blockSize]uint16 // of a question: its first answer
	next   [blockSize]uint16 // of an answer: the one after it
}

// fill makes b the block of that number. tags is how many tags have wikis.
func (b *block) fill(seed uint64, number int64, tags int) {
	*b = block{number: number}
	b.placeWikis(tags)
	r := newRNG(seed, streamBlock, number)
	for i := range b.role {
		if b.role[i] == roleFree {
			b.ask(i, &r)
		}
	}
}

func (b *block) placeWikis(tags int) {
	for w := range wikisPerBlock {
		if b.number*wikisPerBlock+int64(w) >= int64(tags) {
			return
		}
		at := w*wikiEvery + wikiAt
		b.role[at], b.owner[at] = roleWiki, uint16(w)
		b.role[at+1], b.owner[at+1] = roleExcerpt, uint16(w)
	}
}

// ask puts a question at offset i and its answers at free offsets after it.
// Answers that the block has no room for are not given.
func (b *block) ask(i int, r *rng) {
	b.role[i] = roleQuestion
	last := i
	for n := range answerCount(r) {
		at := last + 1 + r.spread(9)
		for at < blockSize && b.role[at] != roleFree {
			at++
		}
		if at >= blockSize {
			return
		}
		b.role[at], b.owner[at], b.nth[at] = roleAnswer, uint16(i), uint8(n)
		if n == 0 {
			b.first[i] = uint16(at)
		} else {
			b.next[last] = uint16(at)
		}
		last = at
	}
}

// answerCount draws how many answers a question gets: none for 17 %, one for
// 43 %, at times a dozen; 1.5 on average, which makes 40 % of posts questions.
func answerCount(r *rng) int {
	switch x := r.below(100); {
	case x < 17:
		return 0
	case x < 60:
		return 1
	case x < 84:
		return 2
	case x < 93:
		return 3
	default:
		return 4 + r.geometric() + r.spread(3)
	}
}

// slot is the number of the post at offset i.
func (b *block) slot(i int) int64 { return b.number*blockSize + int64(i) }
