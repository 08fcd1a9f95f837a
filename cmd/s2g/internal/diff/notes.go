package diff

import (
	"fmt"
	"slices"
	"strings"

	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// tableOf names the table of the dump that properties come from.
var tableOf = map[string]string{
	vocab.UpVotes: "votes", vocab.DownVotes: "votes", vocab.LinkedTo: "links", vocab.DuplicateOf: "links",
}

// notes says in which ways the builds are not of a kind, and leaves out of the
// comparison what one of them cannot have.
func (c *comparison) notes() {
	say := func(format string, args ...any) {
		c.result.Notes = append(c.result.Notes, fmt.Sprintf(format, args...))
	}
	was, now := c.old, c.new
	if was.site.Host() != now.site.Host() {
		say("OLD is of %s, NEW of %s: posts of the same id have nothing to do with each other", was.site.Host(), now.site.Host())
	}
	if only := without(was.tags, now.tags); len(only) > 0 {
		say("OLD alone has graphs of %s: all of these count as removed", names(only))
	}
	if only := without(now.tags, was.tags); len(only) > 0 {
		say("NEW alone has graphs of %s: all of these count as added", names(only))
	}
	if was.manifest.Dump.Newest > now.manifest.Dump.Newest {
		say("OLD is of the newer dump")
	}
	left := map[string]bool{}
	for _, table := range append(slices.Clone(was.manifest.Options.Without), now.manifest.Options.Without...) {
		left[table] = true
	}
	for i, name := range properties {
		c.mask[i] = left[tableOf[name]]
	}
	for _, table := range []string{"votes", "links"} {
		if left[table] {
			say("one of the builds is without %s: what comes from these is not compared", table)
		}
	}
	for _, s := range []struct{ stage, what string }{{manifest.Graph, "graph: posts are"}, {manifest.Vectors, "vectors: texts are"}} {
		switch a, b := was.manifest.Stages[s.stage], now.manifest.Stages[s.stage]; {
		case a == nil && b == nil:
			say("both have no %s not compared", s.what)
		case a == nil:
			say("OLD has no %s not compared", s.what)
		case b == nil:
			say("NEW has no %s not compared", s.what)
		}
	}
	if c.have(manifest.Vectors) {
		c.notesOnTexts(say)
	}
}

func (c *comparison) notesOnTexts(say func(string, ...any)) {
	a, b := c.old.manifest.Options, c.new.manifest.Options
	if a.Units != b.Units {
		say("OLD embeds %ss, NEW %ss", strings.ReplaceAll(a.Units, ",", "s and "), strings.ReplaceAll(b.Units, ",", "s and "))
	}
	if a.Window != b.Window || a.Overlap != b.Overlap {
		say("the windows differ: %d tokens with %d shared in OLD, %d with %d in NEW", a.Window, a.Overlap, b.Window, b.Overlap)
	}
	if c.otherModels() {
		say("the vectors are of other models: NEW could use none of OLD again, whatever its texts")
	}
}

// otherModels reports whether the embedders differ.
func (c *comparison) otherModels() bool {
	a, b := c.old.manifest.Stages[manifest.Vectors].Embedders, c.new.manifest.Stages[manifest.Vectors].Embedders
	return a != nil && b != nil && (a.Dense != b.Dense || a.Sparse != b.Sparse)
}

// without returns those of a list that another has not.
func without(list, other []string) (only []string) {
	for _, x := range list {
		if !slices.Contains(other, x) {
			only = append(only, x)
		}
	}
	return only
}

// names joins tags.
func names(tags []string) string {
	shown := slices.Clone(tags)
	for i, tag := range shown {
		if tag == "" {
			shown[i] = remainder
		}
	}
	return strings.Join(shown, ", ")
}

// remainder is what the graph of questions without a language is called.
const remainder = "(other)"
