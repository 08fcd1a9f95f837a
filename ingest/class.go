package ingest

import (
	"slices"

	"s2g/ingest/dump"
	"s2g/schema"
)

// The classes of bad rows that code refers to, beside those of package dump.
const (
	noID             dump.Class = "no_id"
	missingAttribute dump.Class = "missing_attribute"
	badNumber        dump.Class = "bad_number"
	badDate          dump.Class = "bad_date"
	badBool          dump.Class = "bad_bool"
	outOfRange       dump.Class = "out_of_range"
	duplicateID      dump.Class = "duplicate_id"
	badTag           dump.Class = "bad_tag"
)

// A fate is what ingest does with a bad row.
type fate int

const (
	dropRow   fate = iota // the row is not loaded
	dropValue             // the value is NULL; the row is not loaded if its column is required
	keepValue             // the value is loaded, repaired where the scanner repairs it
)

// A rejectClass describes a class of bad rows.
type rejectClass struct {
	name     dump.Class
	fate     fate
	expected bool   // in valid dumps: such rows do not count as bad, unless option strict is set
	meaning  string // for reports

	// rule reports whether a well-formed value of a column, as "Posts.Id", is of the
	// class. It is not called for empty values. n is the value of an Int.
	rule map[string]func(v []byte, n int64) bool
}

// classes are all classes. A new class is one entry here. Its rule finds its rows;
// those of a class without rules are found by code.
var classes = []rejectClass{
	{name: dump.Malformed, fate: dropRow, meaning: "no XML; left out"},
	{name: dump.LongRow, fate: dropRow, meaning: "longer than a row may be; left out"},
	{name: dump.IllegalReference, fate: keepValue, expected: true, meaning: "a character that XML does not allow; dropped"},
	{name: dump.InvalidUTF8, fate: keepValue, expected: true, meaning: "bytes that are no UTF-8; replaced"},
	{name: noID, fate: dropRow, meaning: "no Id; left out"},
	{name: duplicateID, fate: dropRow, meaning: "an Id that an earlier row has; the first row is kept"},
	{name: missingAttribute, fate: dropRow, meaning: "a required attribute is missing; left out"},
	{name: badNumber, fate: dropValue, meaning: "not a number; NULL, or left out where the column is required"},
	{name: badDate, fate: dropValue, meaning: "not a date; NULL, or left out where the column is required"},
	{name: badBool, fate: dropValue, meaning: "neither True nor False; NULL"},
	{name: outOfRange, fate: dropValue, meaning: "more than its column can hold; NULL, or left out where the column is required"},
	{
		name: badTag, fate: keepValue, meaning: "a tag with a bar, which separates tags; left out of the post's tags, kept in Tags",
		rule: map[string]func([]byte, int64) bool{
			"Tags.TagName": func(v []byte, _ int64) bool { return slices.Contains(v, '|') },
		},
	},
	{
		name: "unknown_type", fate: keepValue, expected: true, meaning: "a type that no dump had; kept",
		rule: map[string]func([]byte, int64) bool{
			"Posts.PostTypeId":     func(_ []byte, n int64) bool { return n < 1 || n > schema.PostTypeMax },
			"Votes.VoteTypeId":     func(_ []byte, n int64) bool { return n < 1 || n > schema.VoteTypeMax },
			"PostLinks.LinkTypeId": func(_ []byte, n int64) bool { return n != schema.LinkLinked && n != schema.LinkDuplicate },
		},
	},
	{
		name: "fabricated_post", fate: dropRow, expected: true, meaning: "a post that the publisher invented; left out",
		rule: map[string]func([]byte, int64) bool{
			"Posts.Id": func(_ []byte, n int64) bool { return slices.Contains(schema.FabricatedPosts[:], n) },
		},
	},
}

// classOf returns the entry of a class; the zero value for a class that does not
// exist.
func classOf(name dump.Class) rejectClass {
	i := slices.IndexFunc(classes, func(c rejectClass) bool { return c.name == name })
	if i < 0 {
		return rejectClass{}
	}
	return classes[i]
}

// ClassMeaning describes the rows of a class that a manifest or rejects.jsonl
// names, and what ingest does with them; "" for a class that does not exist.
func ClassMeaning(name string) string { return classOf(dump.Class(name)).meaning }

// A valueRule is the rule of a class for one column.
type valueRule struct {
	class dump.Class
	holds func(v []byte, n int64) bool
}

// rulesOf returns the rules of a table's columns, by column.
func rulesOf(t schema.Table) [][]valueRule {
	rules := make([][]valueRule, len(t.Columns))
	for i, col := range t.Columns {
		for _, c := range classes {
			if holds := c.rule[t.Name+"."+col.Name]; holds != nil {
				rules[i] = append(rules[i], valueRule{c.name, holds})
			}
		}
	}
	return rules
}
