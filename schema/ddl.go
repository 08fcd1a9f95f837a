package schema

import (
	_ "embed"
	"fmt"
	"strings"
)

// DDL is tables.sql: the statements that create the tables, with comments.
//
//go:embed tables.sql
var DDL string

// TableDDL returns the statement that creates t under another name with its
// primary key alone, and the clauses for ALTER TABLE that add its secondary
// indexes, both taken from DDL. A table that is not in DDL gives a statement
// that is empty, which the tests exclude.
func TableDDL(t Table, name string) (create string, indexes []string) {
	_, rest, found := strings.Cut(DDL, "CREATE TABLE "+t.Name+" (\n")
	if !found {
		return "", nil
	}
	body, _, _ := strings.Cut(rest, ";\n")
	var kept []string
	for line := range strings.Lines(body) {
		if key, ok := strings.CutPrefix(strings.TrimSpace(line), "KEY "); ok {
			indexes = append(indexes, "ADD KEY "+strings.TrimSuffix(key, ","))
			continue
		}
		kept = append(kept, line)
	}
	columns := strings.Join(kept, "")
	columns = strings.Replace(columns, "PRIMARY KEY (Id),\n)", "PRIMARY KEY (Id)\n)", 1)
	return fmt.Sprintf("CREATE TABLE `%s` (\n%s", name, columns), indexes
}

// viewsSQL is views.sql: the statements that make the views.
//
//go:embed views.sql
var viewsSQL string

// View is a view of the tables, for people who query them.
type View struct{ Name, Statement string }

// Views returns the views of views.sql. Their statements replace a view that is
// there.
func Views() []View {
	var views []View
	for statement := range strings.SplitSeq(viewsSQL, ";\n") {
		_, rest, found := strings.Cut(statement, " VIEW ")
		if name, _, ok := strings.Cut(rest, " "); found && ok {
			at := strings.Index(statement, "CREATE ")
			views = append(views, View{name, statement[at:]})
		}
	}
	return views
}
