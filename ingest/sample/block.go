package sample

// blockSize is the number of slots of a block. An answer is in the block of its
// question, so this also limits their distance.
const blockSize = 4096

// Of every wikiEvery slots, wikiAt and the next are the wiki and the excerpt of one
// tag, until every tag has its pair.
const (
	wikiEvery     = 128
	wikiAt        = 100
	wikisPerBlock = blockSize / wikiEvery
)

// A role is the type of the post at a slot.
type role uint8

const (
	roleFree role = iota
	roleQuestion
	roleAnswer
	roleWiki
	roleExcerpt
)

// A block is the roles and relations of blockSize slots. Offsets are slots relative to
// the block's first, which is always a question; so offset 0 is never an answer and
// means none.
type block struct {
	number int64
	role   [blockSize]role
	owner  [blockSize]uint16 // of an answer: its question; of a wiki: its tag within the block
	nth    [blockSize]uint8  // of an answer: how many answers precede it
	first  [blockSize]uint16 // of a question: its first answer
	next   [blockSize]uint16 // of an answer: the next answer
}

// fill generates the block of a number. tags is how many tags have wikis.
func (b *block) fill(seed uint64, number int64, tags int) {
	*b = block{number: number}
	b.placeWikis(tags)
	r := newRNG(seed, streamBlock, number)
	for i := range b.role {
		if b.role[i] == roleFree {
			b.placeQuestion(i, &r)
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

// placeQuestion puts a question at offset i and its answers at free offsets after it.
// Answers that do not fit into the block are dropped.
func (b *block) placeQuestion(i int, r *rng) {
	b.role[i] = roleQuestion
	last := i
	for n := range drawAnswerCount(r) {
		at := last + 1 + r.logUniform(9)
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

// drawAnswerCount draws how many answers a question gets: none for 17 %, one for 43 %,
// sometimes a dozen; 1.5 on average, so 40 % of posts are questions.
func drawAnswerCount(r *rng) int {
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
		return 4 + r.geometric() + r.logUniform(3)
	}
}

// slot returns the slot of offset i.
func (b *block) slot(i int) int64 { return b.number*blockSize + int64(i) }
