package oracle

import (
	"context"
	"slices"
	"strconv"

	"s2g/schema/tables"
)

// Field is a column of the shards that repeats what the tables say of a post.
type Field int

// The fields, under their names in the shards.
const (
	QuestionID Field = iota
	Languages
	Title
	Tags
	Score
	AnswerCount
	HasAcceptedAnswer
	AcceptedAnswerID
	DuplicateOf
	LinkedTo
	Closed
	CreationDate
	Author
	AuthorName
	License
	Fields // how many there are
)

var fieldNames = [Fields]string{"question_id", "languages", "title", "tags", "score", "answer_count", "has_accepted_answer",
	"accepted_answer_id", "duplicate_of", "linked_to", "closed", "creation_date", "author", "author_name", "license"}

// String returns the column's name.
func (f Field) String() string { return fieldNames[f] }

// allButLinks are the fields that rows of Posts tell.
var allButLinks = []Field{QuestionID, Languages, Title, Tags, Score, AnswerCount, HasAcceptedAnswer, AcceptedAnswerID,
	Closed, CreationDate, Author, AuthorName, License}

// FieldTallies has a tally for each field, one of each post.
type FieldTallies [Fields]Tally

// Merge adds other tallies.
func (t *FieldTallies) Merge(u *FieldTallies) {
	for i := range t {
		t[i].Merge(u[i])
	}
}

// FieldCRC continues the checksum of a post's IRI, without the site, with the
// text of a field. It is " =" and the value, or " !" where there is none. Numbers
// are decimal, truths 1 or 0, dates 2008-07-31 21:42:52.667, IRIs without the
// site; words of lists have a | between them, numbers of lists a comma.
func FieldCRC(post uint32, value []byte) uint32 {
	if value == nil {
		return CRC(post, fieldMissing)
	}
	return CRC(CRC(post, fieldIs), value)
}

// Variables, because constants would be copied to the heap at every use.
var fieldIs, fieldMissing = []byte(" ="), []byte(" !")

var truths = [2][]byte{[]byte("0"), []byte("1")}

func truth(b bool) []byte {
	if b {
		return truths[1]
	}
	return truths[0]
}

// fieldReader says the fields of the posts that a postReader reads.
type fieldReader struct {
	survey                                      *survey
	title, tags, answerCount, accepted, closed  int
	score, created, author, authorName, license int
	text                                        []byte
}

// fieldJoin finds the question of an answer, whose title and tags it has in the
// shards.
const fieldJoin = " LEFT JOIN Posts q ON p.PostTypeId=2 AND q.Id=p.ParentId"

func (s *survey) fieldReader(c *columns) *fieldReader {
	title, tags := "p.Title", "p.Tags"
	if s.options.Answers {
		title, tags = "IF(p.PostTypeId=2,q.Title,p.Title)", "IF(p.PostTypeId=2,q.Tags,p.Tags)"
	}
	return &fieldReader{
		survey: s, title: c.place(title), tags: c.place(tags), answerCount: c.place("p.AnswerCount"), accepted: c.place("p.AcceptedAnswerId"),
		closed: c.place("p.ClosedDate IS NOT NULL"), score: c.place("p.Score"), created: c.place("p.CreationDate"),
		author: c.place(postAuthor), authorName: c.place("p.OwnerDisplayName"), license: c.place(postLicense),
	}
}

// say says the fields of a question or answer, but for its links.
func (r *fieldReader) say(o *out, p member, in graphSet, n *node, question []byte, row [][]byte) {
	answer := p.bits&isAnswer != 0
	say := func(f Field, value []byte) { o.field(in, answer, f, n.path, FieldCRC(n.sum, value)) }
	orEmpty := func(value []byte) []byte { // the column has no NULL
		if value == nil {
			return []byte{}
		}
		return value
	}
	say(QuestionID, question)
	say(Languages, r.survey.members.words[p.bits&setMask])
	say(Title, orEmpty(row[r.title]))
	r.text = r.text[:0]
	for tag := range tagsOf(row[r.tags]) {
		r.text = append(append(r.text, tag...), '|')
	}
	say(Tags, trimLast(r.text))
	say(Score, row[r.score])
	say(AnswerCount, row[r.answerCount])
	say(HasAcceptedAnswer, truth(p.bits&hasAccepted != 0))
	if p.bits&hasAccepted != 0 {
		say(AcceptedAnswerID, row[r.accepted])
	} else {
		say(AcceptedAnswerID, nil)
	}
	say(Closed, row[r.closed])
	say(CreationDate, row[r.created])
	say(Author, row[r.author])
	if name := row[r.authorName]; len(name) > 0 {
		say(AuthorName, name)
	} else {
		say(AuthorName, nil)
	}
	say(License, row[r.license])
}

// trimLast drops the mark after the last of a list.
func trimLast(list []byte) []byte {
	if len(list) == 0 {
		return []byte{}
	}
	return list[:len(list)-1]
}

// linkFieldScan says where the links of each post lead to: nowhere, and then
// what there is in its place.
func (s *survey) linkFieldScan() scan {
	return scan{name: "links of posts", fields: []Field{DuplicateOf, LinkedTo}, run: func(ctx context.Context, o *out) error {
		n := node{}
		for id, p := range s.members.all() {
			if p.bits&isAnswer != 0 && !s.options.Answers {
				continue
			}
			n.begin(p.path(), strconv.AppendInt(nil, id, 10))
			for _, f := range []Field{DuplicateOf, LinkedTo} {
				o.field(s.members.graphs(p), p.bits&isAnswer != 0, f, n.path, FieldCRC(n.sum, []byte{}))
			}
		}
		if !s.present["PostLinks"] {
			return nil
		}
		l := linkLists{survey: s, out: o}
		err := s.each(ctx, s.linkQuery()+" ORDER BY PostId, RelatedPostId", l.read)
		l.flush()
		return err
	}}
}

// linkLists gathers the links of one post after the other.
type linkLists struct {
	*survey
	out   *out
	from  int64
	lists [2][]byte // by Field less DuplicateOf: ids, a comma after each
}

func (l *linkLists) read(row [][]byte) error {
	if from := tables.Int(row[0]); from != l.from {
		l.flush()
		l.from = from
	}
	from, to := l.members.at(l.from), l.members.at(tables.Int(row[1]))
	if from.bits&setMask == 0 || to.bits&setMask == 0 {
		return nil
	}
	if tables.Int(row[3]) != 0 && from.bits&to.bits&isQuestion != 0 {
		l.lists[0] = append(append(l.lists[0], row[1]...), ',')
	}
	if tables.Int(row[2]) != 0 {
		l.lists[1] = append(append(l.lists[1], row[1]...), ',')
	}
	return nil
}

func (l *linkLists) flush() {
	p := l.members.at(l.from)
	answer := p.bits&isAnswer != 0
	n := node{}
	for i, list := range l.lists {
		if len(list) > 0 && (!answer || l.options.Answers) {
			n.begin(p.path(), strconv.AppendInt(nil, l.from, 10))
			l.out.fieldInstead(l.members.graphs(p), answer, DuplicateOf+Field(i), n.path, FieldCRC(n.sum, trimLast(list)), FieldCRC(n.sum, []byte{}))
		}
		l.lists[i] = list[:0]
	}
}

// Fields calls yield with the posts of a graph, and the tallies of a field of
// theirs, as Texts does with quads.
func (v *View) Fields(ctx context.Context, graph int, answers bool, f Field, yield func(subject []byte, t Tally)) error {
	scans := slices.DeleteFunc(v.survey.scans(), func(sc scan) bool { return !slices.Contains(sc.fields, f) })
	_, err := v.survey.run(ctx, scans, &listing{graph: graph, ofField: f, answers: answers, isField: true, yield: yield})
	return err
}
