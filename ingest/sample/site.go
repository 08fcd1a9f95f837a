package sample

import "slices"

// A site is the options and texts that all rows of a sample share.
type site struct {
	*corpus
	seed     uint64
	limit    int64 // number of slots
	clock    clock
	pipeTags bool
	licence  bool
}

func newSite(o Options) (*site, error) {
	c, err := newCorpus()
	if err != nil {
		return nil, err
	}
	n := int64(o.Posts)
	return &site{
		corpus: c, seed: o.Seed, limit: n, clock: clock{seed: o.Seed, posts: max(n, int64(o.Grow))},
		pipeTags: o.Tags == TagsPipe, licence: o.Licence,
	}, nil
}

func (s *site) blockCount() int64 { return (s.limit + blockSize - 1) / blockSize }

// slots returns how many slots of a block exist.
func (s *site) slots(b *block) int { return int(min(blockSize, s.limit-b.number*blockSize)) }

// A thread is the choices that a question and its answers share. They are drawn
// from the question's slot alone.
type thread struct {
	subject
	slot    int64     // of the question
	second  *language // nil for most
	domain  *domain
	message *errorMessage
	act     phrase // the question's wording of the task
	symptom int    // the first answer begins with the cause and fix of this number
	context phrase
	kind    questionKind
	tags    []int
	tagRoom [5]int
}

const maxTags = 5

// A subject is the topic of a question in a language. Questions of one subject are
// duplicates.
type subject struct {
	language *language
	topic    *topic
	task     int // which of the topic's acts
}

// drawSubject draws the subject of the question at a slot.
func (s *site) drawSubject(slot int64) (subject, rng) {
	r := newRNG(s.seed, streamThread, slot)
	i, _ := slices.BinarySearch(s.cumulative, r.below(s.cumulative[len(s.cumulative)-1])+1)
	l := s.languages[i]
	t := l.topics[r.mostlyLow(len(l.topics))]
	return subject{l, t, r.mostlyLow(len(t.act))}, r
}

// drawThread draws the thread of the question at a slot into t.
func (s *site) drawThread(t *thread, slot int64) {
	of, r := s.drawSubject(slot)
	l, topic := of.language, of.topic
	wordings := topic.act[of.task]
	contexts := s.prose["context"]
	*t = thread{
		slot: slot, subject: of,
		domain: s.domains[r.mostlyLow(len(s.domains))], message: &l.errors[r.below(len(l.errors))],
		act: wordings[r.below(len(wordings))], symptom: r.below(len(topic.symptom)),
		context: contexts[r.below(len(contexts))], kind: drawKind(&r),
	}
	if l.domain != nil {
		t.domain = l.domain
	}
	t.tags = append(t.tagRoom[:0], l.tagID)
	if len(l.pairs) > 0 && r.chance(180) {
		t.second = l.pairs[r.mostlyLow(len(l.pairs))]
		t.addTag(t.second.tagID)
	}
	for range r.below(3) {
		t.addTag(topic.tags[r.below(len(topic.tags))])
	}
	if len(l.tags) > 0 {
		for range r.below(3) {
			t.addTag(l.tags[r.mostlyLow(len(l.tags))])
		}
	}
}

func (t *thread) addTag(id int) {
	if len(t.tags) < maxTags && !slices.Contains(t.tags, id) {
		t.tags = append(t.tags, id)
	}
}

// A questionKind decides the title and the opening of a question. Sections of
// prose.txt have its name.
type questionKind string

const (
	kindHow   questionKind = "how"
	kindWhy   questionKind = "why"
	kindError questionKind = "error"
	kindDiff  questionKind = "diff"
)

func drawKind(r *rng) questionKind {
	switch x := r.below(100); {
	case x < 48:
		return kindHow
	case x < 72:
		return kindWhy
	case x < 90:
		return kindError
	default:
		return kindDiff
	}
}

// acceptedAnswer returns the offset of the accepted answer of the question at offset i of
// b, and the slot at which it was accepted; zeros if none is, or not yet.
func (s *site) acceptedAnswer(b *block, i int) (offset int, due int64) {
	r := newRNG(s.seed, streamPost, b.slot(i))
	n := 0
	for a := int(b.first[i]); a != 0; a = int(b.next[a]) {
		n++
	}
	if n == 0 || !r.chance(540) {
		return 0, 0
	}
	offset = int(b.first[i])
	for range r.mostlyLow(n) {
		offset = int(b.next[offset])
	}
	due = b.slot(offset) + int64(r.logUniform(9))
	if due >= s.limit {
		return 0, 0
	}
	return offset, due
}

// countAnswers returns the number of answers that the question at offset i of b has, and
// the slot of the last.
func (s *site) countAnswers(b *block, i int) (n int, last int64) {
	for a := int(b.first[i]); a != 0 && b.slot(a) < s.limit; a = int(b.next[a]) {
		n, last = n+1, b.slot(a)
	}
	return n, last
}

// postID returns the Id of the post at a slot. One of each five Ids belongs to a deleted
// post.
func (s *site) postID(slot int64) int64 {
	r := newRNG(s.seed, streamID, slot/4)
	lost := int64(r.below(5))
	id := slot%4 + 1
	if id > lost {
		id++
	}
	return slot/4*5 + id
}

// deletedID returns the Id of the deleted post among the four slots around a slot.
func (s *site) deletedID(slot int64) int64 {
	r := newRNG(s.seed, streamID, slot/4)
	return slot/4*5 + int64(r.below(5)) + 1
}
