package oracle

import "s2g/schema"

// Field is a column of the shards that repeats what the tables hold of a post.
type Field int

// The fields.
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
	Fields // the number of fields
)

var fieldNames = [Fields]string{"question_id", "languages", "title", "tags", "score", "answer_count", "has_accepted_answer",
	"accepted_answer_id", "duplicate_of", "linked_to", "closed", "creation_date", "author", "author_name", "license"}

// String returns the column's name.
func (f Field) String() string { return fieldNames[f] }

// FieldTallies has a tally for each field. It counts one of each post.
type FieldTallies [Fields]Tally

// Merge adds other tallies.
func (t *FieldTallies) Merge(u *FieldTallies) {
	for i := range t {
		t[i].Merge(u[i])
	}
}

// FieldCRC continues the checksum of a post's IRI, without the site, with the
// text of a field: " =" and the value, or " !" where value is nil. Numbers are
// decimal, booleans 1 or 0, dates 2008-07-31 21:42:52.667, IRIs without the site.
// Lists of words have a | between them, lists of numbers a comma.
func FieldCRC(post uint32, value []byte) uint32 {
	if value == nil {
		return CRC(post, fieldMissing)
	}
	return CRC(CRC(post, fieldPresent), value)
}

// Variables, because constants are copied to the heap at every use.
var (
	fieldPresent, fieldMissing = []byte(" ="), []byte(" !")
	textTrue, textFalse        = []byte("1"), []byte("0")
)

// fieldsOfPosts are the fields whose values rows of Posts hold. The scan of links
// collects the others.
var fieldsOfPosts = []Field{QuestionID, Languages, Title, Tags, Score, AnswerCount, HasAcceptedAnswer, AcceptedAnswerID,
	Closed, CreationDate, Author, AuthorName, License}

// questionJoin finds the question of an answer, whose title and tags the shards
// repeat.
const questionJoin = " LEFT JOIN Posts q ON p.PostTypeId=2 AND q.Id=p.ParentId"

// postFields collects fieldsOfPosts of the rows that a postReader reads. It holds
// the positions of columns.
type postFields struct {
	memberships                                 *memberships
	title, tags, answerCount, accepted, closed  int
	score, created, author, authorName, license int
	list                                        []byte // room for the tags
}

func (r *tableReader) newPostFields(c *columns) *postFields {
	title, tags := "p.Title", "p.Tags"
	if r.options.Answers {
		title, tags = "IF(p.PostTypeId=2,q.Title,p.Title)", "IF(p.PostTypeId=2,q.Tags,p.Tags)"
	}
	return &postFields{
		memberships: r.memberships, title: c.place(title), tags: c.place(tags), answerCount: c.place("p.AnswerCount"), accepted: c.place("p.AcceptedAnswerId"),
		closed: c.place("p.ClosedDate IS NOT NULL"), score: c.place("p.Score"), created: c.place("p.CreationDate"),
		author: c.place(postAuthor), authorName: c.place("p.OwnerDisplayName"), license: c.place(postLicense),
	}
}

// add adds the fields of a question or answer. question is the id of the question
// that the post is or answers.
func (p *postFields) add(c *collector, m postMembership, in graphSet, s *subject, question []byte, row [][]byte) {
	add := func(f Field, value []byte) { c.addField(in, m.is(isAnswer), f, s.path, FieldCRC(s.crc, value)) }
	add(QuestionID, question)
	add(Languages, p.memberships.languages(m))
	if title := row[p.title]; title != nil {
		add(Title, title)
	} else {
		add(Title, []byte{}) // the column has no NULL
	}
	p.list = p.list[:0]
	for tag := range schema.SplitTags(row[p.tags]) {
		p.list = append(append(p.list, tag...), '|')
	}
	add(Tags, withoutLast(p.list))
	add(Score, row[p.score])
	add(AnswerCount, row[p.answerCount])
	if m.is(hasAccepted) {
		add(HasAcceptedAnswer, textTrue)
		add(AcceptedAnswerID, row[p.accepted])
	} else {
		add(HasAcceptedAnswer, textFalse)
		add(AcceptedAnswerID, nil)
	}
	add(Closed, row[p.closed])
	add(CreationDate, row[p.created])
	add(Author, row[p.author])
	if name := row[p.authorName]; len(name) > 0 {
		add(AuthorName, name)
	} else {
		add(AuthorName, nil)
	}
	add(License, row[p.license])
}

// withoutLast returns a list without the mark after its last element, never nil.
func withoutLast(list []byte) []byte {
	if len(list) == 0 {
		return []byte{}
	}
	return list[:len(list)-1]
}
