package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/schema/schematest"
)

// rendered is a man page as a person reads it, with its lines joined.
func rendered(t *testing.T, groff, page string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(groff, "-K", "utf8", "-man", "-ww", "-T", "utf8", "-P", "-c", page)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Errorf("groff on %s: %v\n%s", filepath.Base(page), err, stderr.String())
	}
	text := regexp.MustCompile(".\b").ReplaceAllString(string(out), "") // overstrikes are bold
	text = strings.ReplaceAll(text, "‐\n", "\n")
	return strings.Join(strings.Fields(text), "")
}

// Each command has a page that groff renders without a warning and that contains the texts of --help.
func TestManPages(t *testing.T) {
	groff := schematest.Tool(t, "groff")
	dir := filepath.Join(t.TempDir(), "man")
	s2g(t, "man", dir)
	root := newApp(&bytes.Buffer{}, &bytes.Buffer{}).root
	pages := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Hidden {
			return
		}
		pages++
		text := rendered(t, groff, filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"))
		squeezed := func(s string) string { return strings.Join(strings.Fields(s), "") }
		for _, line := range strings.Split(cmd.Long, "\n") {
			if !strings.Contains(text, squeezed(line)) {
				t.Errorf("the page of %s lacks %q", cmd.CommandPath(), line)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !strings.Contains(text, squeezed(strings.ReplaceAll(f.Usage, "`", ""))) {
				t.Errorf("the page of %s lacks what --%s does: %s", cmd.CommandPath(), f.Name, f.Usage)
			}
		})
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(root)
	if files, err := os.ReadDir(dir); err != nil || len(files) < pages || pages < 15 {
		t.Errorf("%d pages for %d commands (%v)", len(files), pages, err)
	}
}
