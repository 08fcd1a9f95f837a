package shard

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

var update = flag.Bool("update", false, "write the golden files and the tables of docs/formats.md and docs/vectors.md anew")

// Every column has what its readers need, under the name that it has in the schema.
func TestColumnsAreThoseOfTheSchema(t *testing.T) {
	for _, c := range []struct {
		columns []Column
		schema  *parquet.Schema
	}{{Columns(), parquet.SchemaOf(Point{})}, {ParentColumns(), parquet.SchemaOf(Parent{})}} {
		fields := c.schema.Fields()
		if len(fields) != len(c.columns) {
			t.Fatalf("%d columns, the schema has %d", len(c.columns), len(fields))
		}
		for i, f := range fields {
			column := c.columns[i]
			if column.Name != f.Name() || column.Nullable != f.Optional() || column.List == f.Leaf() || column.About == "" {
				t.Errorf("%s in the schema, the column is %+v", f.Name(), column)
			}
		}
	}
	roles := map[Role][]string{}
	for _, c := range Columns() {
		roles[c.Role] = append(roles[c.Role], c.Name)
	}
	if roles[RoleID][0] != "point_id" || len(roles[RoleID]) != 1 || strings.Join(roles[RoleVector], " ") != "dense sparse_indices sparse_values" {
		t.Errorf("the roles are %v", roles)
	}
}

// An index fits the type of its field, and only integers have uses.
func TestIndexesFitTheirColumns(t *testing.T) {
	kinds := map[Type]IndexKind{String: IndexKeyword, Bool: IndexBool, Int32: IndexInteger, Int64: IndexInteger, Timestamp: IndexDatetime}
	for _, c := range Columns() {
		if c.Index == (Index{}) {
			continue
		}
		if c.Role != RolePayload || c.Index.Kind != kinds[c.Type] || (c.Index.Lookup || c.Index.Range) != (c.Index.Kind == IndexInteger) {
			t.Errorf("%s, a %s, has the index %+v", c.Name, c.Type, c.Index)
		}
	}
}

// What Value returns of each column, SetValue sets: the row comes out again.
func TestColumnValuesRoundTrip(t *testing.T) {
	for _, want := range somePoints(5) {
		var got Point
		for _, c := range Columns() {
			if err := c.SetValue(&got, c.Value(&want)); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	row := somePoints(1)[0]
	for _, c := range Columns() {
		for _, wrong := range []any{struct{}{}, 1, map[string]int{}} {
			if err := c.SetValue(&row, wrong); err == nil || !strings.Contains(err.Error(), c.Name) {
				t.Errorf("%s takes a %T: %v", c.Name, wrong, err)
			}
		}
		if err := c.SetValue(&row, nil); (err == nil) != c.Nullable {
			t.Errorf("%s without a value: %v", c.Name, err)
		} else if c.Nullable && c.Value(&row) != nil {
			t.Errorf("%s is %v, not NULL", c.Name, c.Value(&row))
		}
	}
}

// The schema is a promise to readers in other languages.
func TestParquetSchema(t *testing.T) {
	golden := filepath.Join("testdata", "schema.txt")
	got := parquet.SchemaOf(Point{}).String() + "\n" + parquet.SchemaOf(Parent{}).String() + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// The graph's names are those of the ontology.
func TestColumnsNameTermsOfTheOntology(t *testing.T) {
	ontology, err := os.ReadFile(filepath.Join("..", "..", "schema", "ontology.ttl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range append(Columns(), ParentColumns()...) {
		for term := range strings.SplitSeq(c.Graph, ", ") {
			if strings.HasPrefix(term, "so:") && !strings.Contains(string(ontology), "\n"+term+" a ") {
				t.Errorf("%s: the ontology has no %s", c.Name, term)
			}
		}
	}
}

// The tables of docs/formats.md and the indexes in docs/vectors.md are those of the columns; -update writes them anew.
func TestDocumentedColumns(t *testing.T) {
	checkTables(t, "formats.md", columnsHeader, columnsTable(Columns()), columnsTable(ParentColumns()))
	checkTables(t, "vectors.md", indexesHeader, indexesTable(Columns()))
}

// checkTables compares the tables that have the header in a page.
func checkTables(t *testing.T, name, header string, want ...string) {
	t.Helper()
	page := filepath.Join("..", "..", "docs", name)
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), header)
	if len(parts) != 1+len(want) {
		t.Fatalf("docs/%s has %d tables %q, not %d", name, len(parts)-1, header, len(want))
	}
	for i, table := range want {
		have, rest, _ := strings.Cut(parts[i+1], "\n\n")
		if diff := cmp.Diff(table, have+"\n"); diff != "" && !*update {
			t.Errorf("docs/%s has another table, go test -update writes it: %s", name, diff)
		}
		parts[i+1] = table + "\n" + rest
	}
	if *update {
		if err := os.WriteFile(page, []byte(strings.Join(parts, header)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	columnsHeader = "| column | type | tables | graph | meaning |\n|---|---|---|---|---|\n"
	indexesHeader = "| index | fields |\n|---|---|\n"
)

// indexesTable lists the indexed fields by the filters that their indexes serve.
func indexesTable(columns []Column) string {
	var names []string
	fields := map[string][]string{}
	for _, c := range columns {
		name := string(c.Index.Kind)
		switch {
		case c.Index == Index{}:
			continue
		case c.Index.Lookup && c.Index.Range:
			name += ": equality, range"
		case c.Index.Lookup:
			name += ": equality"
		case c.Index.Range:
			name += ": range"
		}
		if fields[name] == nil {
			names = append(names, name)
		}
		fields[name] = append(fields[name], "`"+c.Name+"`")
	}
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "| %s | %s |\n", name, strings.Join(fields[name], ", "))
	}
	return b.String()
}

func columnsTable(columns []Column) string {
	var b strings.Builder
	for _, c := range columns {
		kind := c.Type.String()
		if c.List {
			kind = "list of " + kind
		}
		if c.Nullable {
			kind += " or NULL"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", c.Name, kind, c.From, c.Graph, strings.ReplaceAll(c.About, "|", "\\|"))
	}
	return b.String()
}
