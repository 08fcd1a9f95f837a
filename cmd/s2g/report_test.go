package main

import (
	"io"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/net/html"
)

// shellWord is a word of a command, or what is in quotes.
var shellWord = regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`)

// commands FILE OUT holds the commands that a page shows to the flags that there
// are: they stand in elements code and begin with s2g, and OUT stands for a folder.
func commands(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: commands FILE OUT")
	}
	root, err := html.Parse(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	found := 0
	for n := range root.Descendants() {
		if n.Data != "code" || n.FirstChild == nil || !strings.HasPrefix(n.FirstChild.Data, "s2g ") {
			continue
		}
		words := shellWord.FindAllString(strings.ReplaceAll(n.FirstChild.Data, "OUT", args[1]), -1)
		top := newRoot(io.Discard, io.Discard)
		cmd, rest, err := top.Find(words[1:])
		ts.Check(err)
		if cmd == top || !cmd.Runnable() {
			ts.Fatalf("no such command: %s", n.FirstChild.Data)
		}
		ts.Check(cmd.ParseFlags(rest))
		ts.Check(cmd.ValidateArgs(cmd.Flags().Args()))
		found++
	}
	if found < 4 {
		ts.Fatalf("%s shows %d commands", args[0], found)
	}
}
