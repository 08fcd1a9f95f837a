package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"s2g/schema"
	"s2g/schema/tables"
)

const dbHelp = `Runs a statement on the tables of a build and prints the result as TSV, with a line of column names: NULL is \N,
and a tab, line feed or backslash in a value is \t, \n, \\. Without a statement it opens the tables, prints
how other programs reach them, and keeps them open until it is interrupted.

    s2g db --out build 'SELECT Id, Score, Title FROM Posts WHERE PostTypeId = 1 ORDER BY Score DESC LIMIT 10'`

func (a *app) db() *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "db --out DIR [SQL]",
		Short: "the tables: run SQL, or open them for other programs",
		Long:  dbHelp,
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.needBuild(); err != nil {
				return err
			}
			db, err := a.openTables(cmd.Context(), o)
			if err != nil {
				return err
			}
			defer db.Close()
			if len(args) == 0 {
				return a.keepOpen(cmd.Context(), db)
			}
			return printQuery(cmd.Context(), a.stdout, db, args[0])
		},
	}
	o.outFlag(cmd.Flags())
	o.databaseFlags(cmd.Flags())
	return cmd
}

// keepOpen holds the tables open for other programs.
func (a *app) keepOpen(ctx context.Context, db *tables.DB) error {
	a.printf("%s\n", db.DSN())
	if !a.quiet {
		fmt.Fprintln(a.stderr, "the tables are open to programs that use this DSN; Ctrl-C closes them")
	}
	<-ctx.Done()
	return nil
}

func printQuery(ctx context.Context, w io.Writer, db *tables.DB, query string) error {
	rows, err := db.Query(ctx, query)
	if err != nil {
		return schema.Faultf(schema.FaultUsage, "", "%w", err)
	}
	defer rows.Close()
	out := bufio.NewWriter(w)
	if names := rows.Columns(); len(names) > 0 {
		fmt.Fprintln(out, strings.Join(names, "\t"))
	}
	var line []byte
	for rows.Scan() {
		line = line[:0]
		for i, value := range rows.Record() {
			if i > 0 {
				line = append(line, '\t')
			}
			line = appendTSV(line, value)
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

// appendTSV appends a value as MariaDB's own clients and LOAD DATA write it.
func appendTSV(dst, value []byte) []byte {
	if value == nil {
		return append(dst, `\N`...)
	}
	for _, c := range value {
		switch c {
		case '\t':
			dst = append(dst, `\t`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\\':
			dst = append(dst, `\\`...)
		case 0:
			dst = append(dst, `\0`...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
