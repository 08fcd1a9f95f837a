package diff

import (
	"fmt"
	"slices"
	"strings"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// tableOf names the table of the dump that properties come from.
var tableOf = map[string]string{
	vocab.UpVotes: "votes", vocab.DownVotes: "votes", vocab.LinkedTo: "links", vocab.DuplicateOf: "links",
}

// notes describes how the builds themselves differ. It also sets c.ignored to the
// properties that one of them cannot have.
func (c *comparison) notes() []string {
	list := []string{}
	note := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	before, after := c.old, c.new
	if before.site.Host() != after.site.Host() {
		note("OLD is of %s, NEW of %s: posts of the same id have nothing to do with each other", before.site.Host(), after.site.Host())
	}
	if only := without(before.tags, after.tags); len(only) > 0 {
		note("OLD alone has graphs of %s: all of these count as removed", names(only))
	}
	if only := without(after.tags, before.tags); len(only) > 0 {
		note("NEW alone has graphs of %s: all of these count as added", names(only))
	}
	if before.manifest.Dump.Newest > after.manifest.Dump.Newest {
		note("OLD is of the newer dump")
	}
	missing := map[string]bool{}
	for _, table := range slices.Concat(before.manifest.Options.Without, after.manifest.Options.Without) {
		missing[table] = true
	}
	for i, name := range properties {
		c.ignored[i] = missing[tableOf[name]]
	}
	for _, table := range []string{"votes", "links"} {
		if missing[table] {
			note("one of the builds is without %s: what comes from these is not compared", table)
		}
	}
	for _, s := range []struct{ stage, what string }{{manifest.Graph, "graph: posts are"}, {manifest.Vectors, "vectors: texts are"}} {
		switch a, b := before.manifest.Stages[s.stage], after.manifest.Stages[s.stage]; {
		case a == nil && b == nil:
			note("both have no %s not compared", s.what)
		case a == nil:
			note("OLD has no %s not compared", s.what)
		case b == nil:
			note("NEW has no %s not compared", s.what)
		}
	}
	if !c.bothHave(manifest.Vectors) {
		return list
	}
	a, b := before.manifest.Options, after.manifest.Options
	if a.Units != b.Units {
		note("OLD embeds %ss, NEW %ss", strings.ReplaceAll(a.Units, ",", "s and "), strings.ReplaceAll(b.Units, ",", "s and "))
	}
	if a.Window != b.Window || a.Overlap != b.Overlap {
		note("the windows differ: %d tokens with %d shared in OLD, %d with %d in NEW", a.Window, a.Overlap, b.Window, b.Overlap)
	}
	x, y := before.manifest.Stages[manifest.Vectors].Embedders, after.manifest.Stages[manifest.Vectors].Embedders
	if x != nil && y != nil && (x.Dense != y.Dense || x.Sparse != y.Sparse) {
		note("the vectors are of other models: NEW could use none of OLD again, whatever its texts")
	}
	return list
}

// without returns the elements of a list that another does not have.
func without(list, other []string) (only []string) {
	for _, x := range list {
		if !slices.Contains(other, x) {
			only = append(only, x)
		}
	}
	return only
}

// names joins tags, the remainder's under its name.
func names(tags []string) string {
	shown := slices.Clone(tags)
	for i, tag := range shown {
		if tag == "" {
			shown[i] = schema.OtherName
		}
	}
	return strings.Join(shown, ", ")
}
