package oracle

import "hash/crc32"

// polynomial is Castagnoli's: processors have an instruction for it, and most
// texts are short.
var polynomial = crc32.MakeTable(crc32.Castagnoli)

// CRC continues a checksum with more text; one begins with 0. It is CRC-32C.
func CRC(crc uint32, text []byte) uint32 { return crc32.Update(crc, polynomial, text) }

// node is the subject of quads, while their texts are hashed: the subject once,
// for all of them.
type node struct {
	path []byte // its IRI, without the site
	sum  uint32 // of path
	text []byte // room for a mark and an object
	mute bool   // nothing is hashed
}

const (
	questionPath = "/questions/"
	answerPath   = "/a/"
	commentPath  = "/posts/comments/"
	wikiPath     = "/posts/"
	tagPath      = "/tags/"
)

// begin sets the subject.
func (n *node) begin(path string, id []byte) {
	n.path = append(append(n.path[:0], path...), id...)
	if !n.mute {
		n.sum = CRC(0, n.path)
	}
}

// typed is the checksum of the quad that gives the node a type.
func (n *node) typed() uint32 {
	if n.mute {
		return 0
	}
	return CRC(n.sum, isOfType)
}

var isOfType = []byte(" a") // not on the heap at every use

// shortText is up to where a value is copied to be hashed together with its mark.
const shortText = 256

// object is the checksum of a quad with an object: its IRI in parts, or a value.
func (n *node) object(m mark, value []byte, more ...[]byte) uint32 {
	if n.mute {
		return 0
	}
	n.text = append(append(n.text[:0], ' '), m...)
	if len(value) > shortText {
		return CRC(CRC(n.sum, n.text), value)
	}
	at := len(n.text)
	n.text = append(n.text, value...)
	for _, part := range more {
		n.text = append(n.text, part...)
	}
	if m == asDate { // the database writes 2008-07-31 21:42:52.667
		const day = len("2006-01-02")
		if len(value) > day {
			n.text[at+day] = 'T'
		}
		n.text = append(n.text, 'Z')
	}
	return CRC(n.sum, n.text)
}
