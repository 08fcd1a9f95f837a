package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/projection"
	"s2g/schema/tables"
)

const dbHelp = `Runs a statement on the tables of a build and prints the result as TSV, with a line of column names: NULL is \N,
and a tab, line feed or backslash in a value is \t, \n, \\. With --json a row is an object of texts. Without a statement
it opens the tables, prints their DSN for other programs, and keeps them open until it is interrupted.

The tables are read-only. --write opens them for changes, alone: graph, vectors and verify are then no longer those of
the tables, and the next build reads the dump again if a row has changed.

    s2g db --out build 'SELECT Id, Score, Title FROM Posts WHERE PostTypeId = 1 ORDER BY Score DESC LIMIT 10'`

func (a *app) db() *cobra.Command {
	o := &options{}
	var write bool
	cmd := &cobra.Command{
		Use:   "db --out DIR [SQL]",
		Short: "the tables: run SQL, or open them for other programs",
		Long:  dbHelp,
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := a.readManifest(cmd, o); err != nil { // tables are not of a build; a rebuild need not wait
				return err
			}
			if write {
				return a.editTables(cmd.Context(), o, args)
			}
			return a.openTables(cmd.Context(), o, tables.Read, args)
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "open the tables for changes, which void the build")
	o.outFlag(cmd.Flags())
	o.databaseFlags(cmd.Flags())
	return cmd
}

// editTables opens the tables for changes. It holds the lock of OUT, so that no stage reads tables that change.
func (a *app) editTables(ctx context.Context, o *options, args []string) (err error) {
	dir, err := manifest.Open(o.Out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	// The projection of Posts has the key of the dump, which a change does not alter.
	if err := projection.RemoveOthers(dir.Private(), ""); err != nil {
		return err
	}
	a.log.Warn("the tables are open for changes: graph, vectors and verify are those of the dump, and the next build reads it again if a row has changed")
	return a.openTables(ctx, o, tables.Edit, args)
}

// openTables opens the tables and runs the statement in args or, without one, keeps them open for other programs.
func (a *app) openTables(ctx context.Context, o *options, access tables.Access, args []string) (err error) {
	db, err := o.OpenTables(ctx, access)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if len(args) > 0 {
		return a.printQuery(ctx, db, args[0])
	}
	if access == tables.Read && o.DSN == "" { // other programs' sessions are as the server allows
		if readOnly, err := db.ReadOnlyServer(); err != nil {
			return err
		} else if !readOnly {
			return schema.Faultf(schema.FaultService, "wait for its end, or give the statement: s2g db with option out and SQL",
				"a run of s2g that may change the tables uses them")
		}
	}
	return a.keepOpen(ctx, db)
}

// keepOpen prints the DSN of the tables and keeps them open for other programs.
func (a *app) keepOpen(ctx context.Context, db *tables.DB) error {
	if a.json {
		if err := printJSON(a, map[string]string{"dsn": db.DSN()}); err != nil {
			return err
		}
	} else if _, err := fmt.Fprintln(a.stdout, db.DSN()); err != nil {
		return err
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
	if fault, _ := schema.FaultOf(err); err != nil && fault != schema.FaultOurs {
		return err
	}
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
