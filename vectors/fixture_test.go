package vectors

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/tables/tablestest"
)

// mariadb is the server of the package's tests.
var mariadb tablestest.Server

func TestMain(m *testing.M) {
	if delay := os.Getenv(endpointEnv); delay != "" {
		serveEmbeddings(delay)
		os.Exit(0)
	}
	if out := os.Getenv(childOut); out != "" {
		os.Exit(child(out))
	}
	mariadb.Main(m)
}

// row is a row of a table by column; columns without a value are NULL.
type row map[string]any

// question makes a question; answer an answer to it.
func question(id int, tags, title, body string) row {
	return row{
		"Id": id, "PostTypeId": 1, "Title": title, "Tags": tags, "Body": body, "Score": id % 7, "AnswerCount": 0,
		"CreationDate": fmt.Sprintf("2015-03-%02d 10:00:00.%03d", id%28+1, id%1000), "OwnerUserId": 7, "ContentLicense": "CC BY-SA 3.0",
	}
}

func answer(id, question int, body string) row {
	return row{"Id": id, "PostTypeId": 2, "ParentId": question, "Body": body, "CreationDate": "2020-01-02 03:04:05.678", "Score": -2}
}

func with(r row, column string, value any) row {
	r[column] = value
	return r
}

// long is a post of several chunks.
func long() string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "<p>Step %d of the déjà-vu recipe: boil, stir, and wait for %d minutes &amp; more.</p>\n", i, i*3)
	}
	return b.String()
}

// posts is a small dump with a bit of everything. It has four topics, which no two posts
// put in the same words.
func posts() []row {
	return []row{
		with(with(with(question(1, "|python|", "How do I merge two dictionaries", "<p>I have two dicts and want one mapping with the keys of both.</p>"),
			"AcceptedAnswerId", 31), "AnswerCount", 1), "ClosedDate", "2016-01-01 00:00:00.000"),
		question(2, "|python|java|", "Sorting a list of tuples by the second item", "<p>The order should be ascending: <code>sorted(pairs)</code> looks at the first item.</p>"),
		question(3, "|java|", "NullPointerException when calling a method", "<p>My object is null when I call it. Why?</p>"),
		with(question(4, "|python|pandas|", "Join dicts of lists into one mapping", "<p>Union of several dictionaries, later keys win.</p>"), "AcceptedAnswerId", 99),
		question(5, "|c#|", "Read a file line by line", "<p>StreamReader or File.ReadLines?</p>"),
		question(6, "|cooking|", "How long to boil an egg", "<p>Soft, please.</p>"),
		with(with(question(7, "|java|c#|", "Parse a date string", "<p>The format is <code>yyyy-MM-dd</code>.</p>"), "OwnerUserId", nil), "OwnerDisplayName", "user\t7"),
		question(8, "|python|", "A recipe in many steps", long()),
		with(question(9, "|python|", "Boil down a regular expression", ""), "Score", nil),
		with(question(10, "|java|", "Order a collection of pairs by value", "<p>Comparator for the second element of each pair.</p>"), "ContentLicense", nil),
		question(1<<47, "|python|", "An id that a point id has no room for", "<p>Shifted by 16 bits it would be negative.</p>"),
		answer(31, 1, "<p>Use <code>{**a, **b}</code>.</p>"),
		answer(32, 2, "<p>Pass a key function to sorted.</p>"),
		answer(33, 6, "<p>Six minutes.</p>"),
		answer(34, 1000, "<p>To a question that is not there.</p>"),
		{"Id": 40, "PostTypeId": 5, "Body": "<p>About a tag.</p>", "CreationDate": "2015-01-01 00:00:00.000"},
	}
}

func links() []row {
	edge := func(id, from, to, kind int) row {
		return row{"Id": id, "PostId": from, "RelatedPostId": to, "LinkTypeId": kind}
	}
	return []row{
		edge(1, 4, 1, 3), edge(2, 4, 2, 1), edge(3, 4, 2, 1), edge(4, 10, 2, 1),
		edge(5, 1, 6, 1),   // to a post in no graph
		edge(6, 2, 31, 3),  // a duplicate of an answer
		edge(7, 2, 31, 1),  // a link to one
		edge(8, 2, 999, 1), // to nothing
		edge(9, 2, 3, 7),   // of no known type
	}
}

// load puts rows in service in a database of the test's own.
func load(t testing.TB, rows map[string][]row) *tables.DB {
	t.Helper()
	db := mariadb.Database(t)
	var loaded []schema.Table
	for _, table := range schema.Tables() {
		if rows[table.Name] == nil {
			continue
		}
		loaded = append(loaded, table)
		if err := db.Stage(t.Context(), table); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Load(t.Context(), table, strings.NewReader(tsv(table, rows[table.Name]))); err != nil {
			t.Fatal(err)
		}
		if err := db.Index(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Swap(t.Context(), "dump", loaded); err != nil {
		t.Fatal(err)
	}
	return db
}

func tsv(table schema.Table, rows []row) string {
	var b strings.Builder
	escape := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`)
	for _, r := range rows {
		for i, c := range table.Columns {
			if i > 0 {
				b.WriteByte('\t')
			}
			if v, ok := r[c.Name]; ok && v != nil {
				b.WriteString(escape.Replace(fmt.Sprint(v)))
			} else {
				b.WriteString(`\N`)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// loadFixture puts the small dump in service.
func loadFixture(t *testing.T) *tables.DB {
	return load(t, map[string][]row{"Posts": posts(), "PostLinks": links()})
}

func openDir(t testing.TB, out string) *manifest.Dir {
	t.Helper()
	dir, err := manifest.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return dir
}
