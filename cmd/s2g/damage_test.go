package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/testscript"

	"s2g/schema/manifest"
)

// damage HOW FILE breaks an output of a build in one of the ways that verify
// must find.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: damage HOW FILE")
	}
	file := ts.MkAbs(args[1])
	switch args[0] {
	case "cut":
		info, err := os.Stat(file)
		ts.Check(err)
		ts.Check(os.Truncate(file, info.Size()-100))
	case "drop-row":
		dropRow(ts, file)
	case "drop-quad":
		rewrite(ts, file, firstMatch(`(?m)^.*so:score [^;.]*[;]\n`, ""))
	case "change-score":
		rewrite(ts, file, firstMatch(`so:score (-?\d+)`, "so:score ${1}7"))
	case "change-literal":
		rewrite(ts, file, firstMatch(`so:hasTitle "(.)`, `so:hasTitle "${1}x`))
	default:
		ts.Fatalf("no such damage: %s", args[0])
	}
}

// firstMatch replaces the first match of a pattern alone.
func firstMatch(pattern, with string) func(ts *testscript.TestScript, text []byte) []byte {
	return func(ts *testscript.TestScript, text []byte) []byte {
		re := regexp.MustCompile(pattern)
		at := re.FindSubmatchIndex(text)
		if at == nil {
			ts.Fatalf("nothing to damage: no match of %s", pattern)
		}
		changed := re.Expand(bytes.Clone(text[:at[0]]), []byte(with), text, at)
		return append(changed, text[at[1]:]...)
	}
}

// rewrite changes what a gzip file holds.
func rewrite(ts *testscript.TestScript, file string, change func(*testscript.TestScript, []byte) []byte) {
	stored, err := os.ReadFile(file)
	ts.Check(err)
	r, err := gzip.NewReader(bytes.NewReader(stored))
	ts.Check(err)
	text, err := io.ReadAll(r)
	ts.Check(err)
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err = w.Write(change(ts, text))
	ts.Check(err)
	ts.Check(w.Close())
	ts.Check(os.WriteFile(file, out.Bytes(), 0o644))
}

// dropRow writes a Parquet file anew without its second row.
func dropRow(ts *testscript.TestScript, file string) {
	f, err := os.ReadFile(file)
	ts.Check(err)
	in, err := parquet.OpenFile(bytes.NewReader(f), int64(len(f)))
	ts.Check(err)
	var out bytes.Buffer
	w := parquet.NewWriter(&out, in.Schema())
	n := 0
	for _, group := range in.RowGroups() {
		rows := group.Rows()
		buffer := make([]parquet.Row, 1)
		for {
			got, err := rows.ReadRows(buffer)
			if got == 1 {
				if n++; n != 2 {
					_, err := w.WriteRows(buffer)
					ts.Check(err)
				}
			}
			if err == io.EOF {
				break
			}
			ts.Check(err)
		}
		ts.Check(rows.Close())
	}
	if n < 3 {
		ts.Fatalf("%s has %d rows: too few to drop one", file, n)
	}
	ts.Check(w.Close())
	ts.Check(os.WriteFile(file, out.Bytes(), 0o644))
}

// reseal OUT FILE writes a file's size and SHA-256 into the manifest, as one who
// wants the damage not to be seen would.
func reseal(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: reseal OUT FILE")
	}
	path := filepath.Join(ts.MkAbs(args[0]), "manifest.json")
	text, err := os.ReadFile(path)
	ts.Check(err)
	var m manifest.Manifest
	ts.Check(json.Unmarshal(text, &m))
	content, err := os.ReadFile(filepath.Join(ts.MkAbs(args[0]), args[1]))
	ts.Check(err)
	sum := sha256.Sum256(content)
	found := false
	for _, s := range m.Stages {
		for i := range s.Files {
			if s.Files[i].Name == args[1] {
				s.Files[i].Size, s.Files[i].SHA256, found = int64(len(content)), hex.EncodeToString(sum[:]), true
			}
		}
	}
	if !found {
		ts.Fatalf("the manifest has no file %s", args[1])
	}
	text, err = json.Marshal(m)
	ts.Check(err)
	ts.Check(os.WriteFile(path, text, 0o644))
}
