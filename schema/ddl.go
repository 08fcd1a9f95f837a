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

// TableDDL returns the statement that creates t under the given name with its
// primary key only, and the clauses of ALTER TABLE that add its secondary
// indexes. Both come from DDL. The statement is empty for a table that is missing
// in DDL; a test makes sure that none is.
func TableDDL(t Table, name string) (create string, indexes []string) {
	_, rest, found := strings.Cut(DDL, "CREATE TABLE "+t.Name+" (\n")
	if !found {
		return "", nil
	}
	body, _, _ := strings.Cut(rest, ";\n")
	var columns string
	for line := range strings.Lines(body) {
		if key, ok := strings.CutPrefix(strings.TrimSpace(line), "KEY "); ok {
			indexes = append(indexes, "ADD KEY "+strings.TrimSuffix(key, ","))
			continue
		}
		columns += line
	}
	columns = strings.Replace(columns, "PRIMARY KEY (Id),\n)", "PRIMARY KEY (Id)\n)", 1)
	return fmt.Sprintf("CREATE TABLE `%s` (\n%s", name, columns), indexes
}

// viewsSQL is views.sql: the statements that create the views.
//
//go:embed views.sql
var viewsSQL string

// View is a view of the tables for people; s2g does not read it. Statement
// replaces an existing view of the same name.
type View struct{ Name, Statement string }

// Views returns the views of views.sql, in their order.
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
