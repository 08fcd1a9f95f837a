package oracle

import "hash/crc32"

// Tally is a number of quads, or of fields of posts, and the sum of the CRC-32C of their
// texts modulo 2^64.
type Tally struct {
	Count int64
	Sum   uint64
}

// Add adds a quad by its checksum.
func (t *Tally) Add(crc uint32) {
	t.Count++
	t.Sum += uint64(crc)
}

// Merge adds another tally.
func (t *Tally) Merge(u Tally) {
	t.Count += u.Count
	t.Sum += u.Sum
}

// polynomial is Castagnoli's, for which processors have an instruction.
var polynomial = crc32.MakeTable(crc32.Castagnoli)

// CRC continues a CRC-32C with more text. A checksum begins with 0.
func CRC(crc uint32, text []byte) uint32 { return crc32.Update(crc, polynomial, text) }

// mark is the kind of an object in a quad's text; see the package comment.
type mark string

const (
	markIRI     mark = "<"
	markText    mark = `"`
	markInteger mark = "#"
	markDate    mark = "@"
)

// subject computes the checksums of the quads of one subject, which it hashes once.
type subject struct {
	path       []byte // its IRI, without the site
	crc        uint32 // of path
	text       []byte // buffer for a mark and an object
	countsOnly bool   // all checksums are 0
}

// Beginnings of the paths of subjects.
const (
	questionPath = "/questions/"
	answerPath   = "/a/"
	commentPath  = "/posts/comments/"
	wikiPath     = "/posts/"
	tagPath      = "/tags/"
)

// set sets the subject to path followed by id.
func (s *subject) set(path string, id []byte) {
	s.path = append(append(s.path[:0], path...), id...)
	if !s.countsOnly {
		s.crc = CRC(0, s.path)
	}
}

// typeQuad returns the checksum of the quad that gives the subject a type.
func (s *subject) typeQuad() uint32 {
	if s.countsOnly {
		return 0
	}
	return CRC(s.crc, typeText)
}

var typeText = []byte(" a") // a variable: a constant is copied to the heap at every use

// quad returns the checksum of the quad with an object, which is value and more, joined.
func (s *subject) quad(m mark, value []byte, more ...[]byte) uint32 {
	if s.countsOnly {
		return 0
	}
	s.text = append(append(s.text[:0], ' '), m...)
	at := len(s.text)
	s.text = append(s.text, value...)
	for _, part := range more {
		s.text = append(s.text, part...)
	}
	if m == markDate { // MariaDB writes 2008-07-31 21:42:52.667
		const day = len("2006-01-02")
		if len(value) > day {
			s.text[at+day] = 'T'
		}
		s.text = append(s.text, 'Z')
	}
	return CRC(s.crc, s.text)
}
