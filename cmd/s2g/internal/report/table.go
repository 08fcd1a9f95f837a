package report

// table is numbers in rows; the first cell of each row names it, the others are
// aligned right unless the table is of words.
type table struct {
	Caption string
	Words   bool
	Head    []string
	Rows    [][]string
}

// bar is a length in a cell of a table, of parts of a class each.
type bar []barPart

type barPart struct{ X, Width, Class string }

// newBar makes a bar of which each part is a share of whole.
func newBar(whole int64, parts ...stackPart) bar {
	var b bar
	var at int64
	for _, p := range parts {
		b = append(b, barPart{percent(float64(at), float64(whole)), percent(float64(p.n), float64(whole)), p.class})
		at += p.n
	}
	return b
}
