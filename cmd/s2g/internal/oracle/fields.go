package oracle

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
