package diff

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResultIsWrittenAsTableCSVAndJSON(t *testing.T) {
	n := Count{Language: "c,++", Before: 1234, After: 1300, Added: 70, Removed: 4, Text: 10, Other: 20, Same: 1200, Embed: 0}
	texts := Count{Language: "", Before: 9, After: 9, Text: 2, Same: 7, Embed: 2}
	r := &Result{
		Old: Build{Out: "march", Site: "http://stackoverflow.com", Newest: "2024-03-31T00:00:00.000Z"}, New: Build{Out: "june", Site: "https://stackoverflow.com"},
		Notes: []string{"OLD is of the newer dump"}, Questions: &Section{Languages: []Count{n}, Distinct: Count{Before: 1234, After: 1300}},
		Texts: &Section{Languages: []Count{texts}, Distinct: texts}, Properties: []Property{{"score", 1000, 5}},
	}
	for _, c := range []struct {
		name  string
		write func(io.Writer) error
		want  string
	}{
		{"table", r.WriteTable, `OLD  march: stackoverflow.com, newest post 2024-03-31T00:00:00.000Z
NEW  june: https://stackoverflow.com, newest post unknown
note: OLD is of the newer dump

questions   before  after  added  removed  text  other   same
  c,++       1,234  1,300     70        4    10     20  1,200
  distinct   1,234  1,300      0        0     0      0      0

texts       before  after  added  removed  text  same  embed
  (other)        9      9      0        0     2     7      2
  distinct       9      9      0        0     2     7      2

posts of both differ in  questions  answers
  score                      1,000        5
`},
		{"csv", r.WriteCSV, `row,what,language,before,after,added,removed,text,other,same,embed
language,questions,"c,++",1234,1300,70,4,10,20,1200,
distinct,questions,,1234,1300,0,0,0,0,0,
language,texts,,9,9,0,0,2,,7,2
distinct,texts,,9,9,0,0,2,,7,2
`},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, b.String()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var back Result
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*r, back); diff != "" {
		t.Error(diff)
	}
}
