package oracle

import (
	"slices"

	"s2g/schema"
)

// Field is a column of the shards that repeats a value of a post's tables.
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

// fields describes the columns. value is the SQL expression of the field's text; where it
// is empty, postFields.add or linkFieldScan computes the text.
var fields = [Fields]struct {
	name  string
	kind  FieldKind
	value string
}{
	QuestionID:        {"question_id", FieldInt64, ""},
	Languages:         {"languages", FieldTexts, ""},
	Title:             {"title", FieldText, ""},
	Tags:              {"tags", FieldTexts, ""},
	Score:             {"score", FieldInt32, "p.Score"},
	AnswerCount:       {"answer_count", FieldInt32, "p.AnswerCount"},
	HasAcceptedAnswer: {"has_accepted_answer", FieldBool, ""},
	AcceptedAnswerID:  {"accepted_answer_id", FieldInt64, ""},
	DuplicateOf:       {"duplicate_of", FieldInt64s, ""},
	LinkedTo:          {"linked_to", FieldInt64s, ""},
	Closed:            {"closed", FieldBool, "p.ClosedDate IS NOT NULL"},
	CreationDate:      {"creation_date", FieldDate, "p.CreationDate"},
	Author:            {"author", FieldIRI, postAuthor},
	AuthorName:        {"author_name", FieldText, ""},
	License:           {"license", FieldText, postLicense},
}

// FieldKind is the type of a field's column and the form of its text; see
// [FieldCRC].
type FieldKind uint8

// The kinds of field.
const (
	FieldInt32  FieldKind = iota // decimal
	FieldInt64                   // decimal
	FieldBool                    // 1 or 0
	FieldDate                    // 2008-07-31 21:42:52.667
	FieldText                    // as it is
	FieldIRI                     // without the site, where it is of the site
	FieldTexts                   // a list: with a | between elements
	FieldInt64s                  // a list: with a comma between elements
)

// String returns the column's name.
func (f Field) String() string { return fields[f].name }

// Kind returns the column's type.
func (f Field) Kind() FieldKind { return fields[f].kind }

// FieldTallies has a tally for each field, in which every post counts once.
type FieldTallies [Fields]Tally

// Merge adds other tallies.
func (t *FieldTallies) Merge(u *FieldTallies) {
	for i := range t {
		t[i].Merge(u[i])
	}
}

// FieldCRC returns the checksum of a field, which continues that of its post's IRI
// without the site. Its text is " =" and the value in the form of the field's kind, or
// " !" where value is nil.
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

// fieldsOfLinks are the fields that the scan of links collects, fieldsOfThreads those of
// threadScan. The scans of posts collect the others.
var (
	fieldsOfLinks   = []Field{DuplicateOf, LinkedTo}
	fieldsOfThreads = []Field{HasAcceptedAnswer, AcceptedAnswerID}
)

func fieldsOfPosts() (list []Field) {
	for f := range Fields {
		if !slices.Contains(fieldsOfLinks, f) {
			list = append(list, f)
		}
	}
	return list
}

// questionJoin joins the question of an answer, because the shards repeat its title and
// tags.
const questionJoin = " LEFT JOIN Posts q ON p.PostTypeId=2 AND q.Id=p.ParentId"

// postFields collects fieldsOfPosts of the rows that a postReader reads.
type postFields struct {
	// positions of columns
	plain                         [Fields]int // of the fields with an expression
	title, tags, authorName, body int

	list []byte // buffer for the tags
}

func (r *tableReader) newPostFields(c *columns) *postFields {
	title, tags := "p.Title", "p.Tags"
	if r.options.Answers {
		title, tags = "IF(p.PostTypeId=2,q.Title,p.Title)", "IF(p.PostTypeId=2,q.Tags,p.Tags)"
	}
	p := &postFields{}
	p.title, p.tags, p.authorName = c.place(title), c.place(tags), c.place("p.OwnerDisplayName")
	if r.newText != nil {
		p.body = c.place("p.Body")
	}
	for f := range fields {
		if value := fields[f].value; value != "" {
			p.plain[f] = c.place(value)
		}
	}
	return p
}

// add adds the fields of a question or answer that its row has. question is the id of
// the question that the post is or answers.
func (p *postFields) add(c *collector, m postMembership, in graphSet, languages []byte, s *subject, question []byte, row [][]byte) {
	add := func(f Field, value []byte) { c.addField(in, m.is(isAnswer), f, s.path, FieldCRC(s.crc, value)) }
	for f := range fields {
		if fields[f].value != "" {
			add(Field(f), row[p.plain[f]])
		}
	}
	add(QuestionID, question)
	add(Languages, languages)
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
	if name := row[p.authorName]; len(name) > 0 {
		add(AuthorName, name)
	} else {
		add(AuthorName, nil)
	}
}

// withoutLast returns a list without its last byte, a separator. The result is never
// nil, because FieldCRC distinguishes an empty list from none.
func withoutLast(list []byte) []byte {
	if len(list) == 0 {
		return []byte{}
	}
	return list[:len(list)-1]
}
