// Command threadsvg draws one question of a graph, with all that its edges lead
// to, as an SVG picture for documentation. It reads the TriG files of a build and
// writes the picture to its standard output.
//
//	go run ./cmd/s2g/internal/threadsvg -question 2164 -language c# build/graph/batch-*
package main

import (
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"s2g/cmd/s2g/internal/thread"
	"s2g/graph/trig"
	"s2g/schema/vocab"
)

func main() {
	question := flag.Int64("question", 0, "number of the `question`")
	language := flag.String("language", "", "`tag` of the language whose graph is drawn")
	site := flag.String("site", string(vocab.DefaultSite), "base of the graph's IRIs")
	flag.Parse()
	if err := run(os.Stdout, flag.Args(), *site, *language, *question); err != nil {
		fmt.Fprintln(os.Stderr, "threadsvg:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, files []string, site, language string, question int64) error {
	s, err := vocab.ParseSite(site)
	if err != nil {
		return err
	}
	t, err := thread.Read(func(each func(*trig.Quad)) error { return scan(files, each) }, s, language, question)
	if err != nil {
		return err
	}
	_, err = w.Write(t.File())
	return err
}

// scan reads the quads of some files.
func scan(names []string, each func(*trig.Quad)) error {
	for _, name := range names {
		if err := scanFile(name, each); err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
	}
	return nil
}

func scanFile(name string, each func(*trig.Quad)) (err error) {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var text io.Reader = f
	if filepath.Ext(name) == ".gz" {
		if text, err = gzip.NewReader(f); err != nil {
			return err
		}
	}
	r := trig.NewReader(text, trig.TriG)
	for r.Scan() {
		each(r.Record())
	}
	return r.Err()
}
