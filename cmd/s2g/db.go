package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"s2g/schema"
	"s2g/schema/tables"
)

const dbHelp = `Runs a statement on the tables of a build and prints the result as TSV, with a line of column names: NULL is \N,
and a tab, line feed or backslash in a value is \t, \n, \\. With --json a row is an object of texts. Without a statement
it opens the tables, prints their DSN for other programs, and keeps them open until it is interrupted.

    s2g db --out build 'SELECT Id, Score, Title FROM Posts WHERE PostTypeId = 1 ORDER BY Score DESC LIMIT 10'`

func (a *app) db() *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "db --out DIR [SQL]",
		Short: "the tables: run SQL, or open them for other programs",
		Long:  dbHelp,
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := a.readBuild(cmd, o); err != nil {
				return err
			}
			db, err := o.OpenTables(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			if len(args) == 0 {
				return a.keepOpen(cmd.Context(), db)
			}
			return a.printQuery(cmd.Context(), db, args[0])
		},
	}
	o.outFlag(cmd.Flags())
	o.databaseFlags(cmd.Flags())
	return cmd
}

// keepOpen prints the DSN of the tables and keeps them open for other programs.
func (a *app) keepOpen(ctx context.Context, db *tables.DB) error {
	if a.json {
		if err := printJSON(a, map[string]string{"dsn": db.DSN()}); err != nil {
			return err
		}
	} else {
		a.printf("%s\n", db.DSN())
	}
	if !a.quiet && !a.json {
		fmt.Fprintln(a.stderr, "the tables are open to programs that use this DSN; Ctrl-C closes them")
	}
	<-ctx.Done()
	return nil
}

// printQuery prints a line of column names and a line for each row. With --json each row is an object with texts as
// values.
func (a *app) printQuery(ctx context.Context, db *tables.DB, query string) error {
	rows, err := db.Query(ctx, query)
	if err != nil {
		return schema.Faultf(schema.FaultUsage, "correct the statement; SHOW TABLES and DESCRIBE Posts list tables and columns", "%w", err)
	}
	defer rows.Close()
	out := bufio.NewWriter(a.stdout)
	names := rows.Columns()
	if len(names) > 0 && !a.json {
		fmt.Fprintln(out, strings.Join(names, "\t"))
	}
	var line []byte
	for rows.Scan() {
		if line = line[:0]; a.json {
			line = appendJSON(line, names, rows.Record())
		} else {
			line = tables.AppendRow(line, rows.Record())
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return out.Flush()
}

// appendJSON appends a row as an object with its columns in their order.
func appendJSON(dst []byte, names []string, row [][]byte) []byte {
	for i, value := range row {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		name, _ := json.Marshal(names[i]) // a string always marshals
		dst = append(append(append(dst, separator), name...), ':')
		if value == nil {
			dst = append(dst, "null"...)
			continue
		}
		text, _ := json.Marshal(string(value))
		dst = append(dst, text...)
	}
	return append(dst, '}')
}
