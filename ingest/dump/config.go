package dump

// Config says what the document of one table looks like.
type Config struct {
	Name    string   // what errors call the document: its file
	Root    string   // name of the root element, as "posts"
	Columns []string // attributes to read, of which the first is the row's Id
	MaxRow  int      // bytes, in UTF-8, of the longest row that is read; 0 is 64 MiB
	Block   int      // bytes that are read and scanned at a time; 0 is 1 MiB
}

func (c Config) withDefaults() Config {
	if c.MaxRow <= 0 {
		c.MaxRow = 64 << 20
	}
	if c.Block <= 0 {
		c.Block = 1 << 20
	}
	return c
}

// Class is a kind of damage to a row, as it is counted and reported.
type Class string

// The classes that a scanner finds. A row of the first two has no values but,
// perhaps, its Id; the others are repaired and counted by Record.Illegal and
// Record.Invalid.
const (
	Malformed        Class = "malformed"         // not a <row> element of attributes
	LongRow          Class = "long_row"          // longer than Config.MaxRow
	IllegalReference Class = "illegal_reference" // a character, written as such or by reference, that XML does not allow
	InvalidUTF8      Class = "invalid_utf8"      // bytes that are not UTF-8, or half of a pair in UTF-16
)
