// Package schema is the contract between the stages of s2g: the tables of a dump
// and their DDL in MariaDB, the languages that have a graph, the ontology, and
// the classes of error that determine exit codes.
//
// It imports no other package of the project, and every package may import it.
// The program embeds the files beside the code that people read or change:
// tables.sql, views.sql, languages.csv, ontology.ttl and shapes.ttl.
package schema

import (
	"bytes"
	"iter"
	"math"
	"slices"
)

// Kind is the type of a column's values, with their form in a dump.
type Kind uint8

// The kinds of column.
const (
	Int     Kind = iota // a decimal integer between Min and Max
	Date                // 2008-07-31T21:42:52.667, stored with milliseconds
	Text                // any text, stored unchanged
	TagList             // <a><b> or |a|b|, stored as |a|b|
	Bool                // True or False, stored as 1 or 0
)

// Column is an attribute of a dump's rows and the SQL column of the same name.
type Column struct {
	Name     string
	Kind     Kind
	Required bool  // a row without it is rejected
	Min, Max int64 // bounds of an Int, both inclusive
	MaxLen   int   // limit of a Text in characters; 0: none
}

// Table is a table of the dump. Its first column is the primary key Id; its file
// in a dump is Name.xml.
type Table struct {
	Name    string
	Columns []Column
}

// Column returns the index of the column of a name.
func (t Table) Column(name string) (i int, ok bool) {
	i = slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	return i, i >= 0
}

// The values of Posts.PostTypeId that are in the graph. Posts of other types are
// in the tables only.
const (
	PostQuestion       int64 = 1
	PostAnswer         int64 = 2
	PostTagWikiExcerpt int64 = 4
	PostTagWiki        int64 = 5
	PostTypeMax        int64 = 17 // the largest in dumps so far
)

// The values of Votes.VoteTypeId that the graph counts, and the largest in dumps
// so far.
const (
	VoteUp      = 2
	VoteDown    = 3
	VoteTypeMax = 33
)

// The values of PostLinks.LinkTypeId that are edges of the graph.
const (
	LinkLinked    = 1
	LinkDuplicate = 3
)

// FabricatedPosts are the Ids of two posts of the dump of 2025-06-30 that no
// user wrote. Ingest drops and counts them.
var FabricatedPosts = [...]int64{1000000001, 1000000010}

// Tables returns the tables that s2g reads, in descending order of their usual
// size, so that a scheduler starts the long ones early.
func Tables() []Table {
	return []Table{posts(), comments(), votes(), postLinks(), tags()}
}

// TableByName returns the table of a name, as "Posts".
func TableByName(name string) (Table, bool) {
	for _, t := range Tables() {
		if t.Name == name {
			return t, true
		}
	}
	return Table{}, false
}

func key() Column { return Column{Name: "Id", Required: true, Min: 0, Max: math.MaxInt64} }

// MaxPostID is the largest Id of a post: a point of the vectors is numbered
// post<<16 | chunk, and Qdrant's clients read that as a signed number.
const MaxPostID = 1<<47 - 1

func ref(name string) Column   { return Column{Name: name, Min: math.MinInt64, Max: math.MaxInt64} }
func count(name string) Column { return Column{Name: name, Min: math.MinInt32, Max: math.MaxInt32} }
func kind(name string) Column  { return Column{Name: name, Min: 0, Max: math.MaxInt16} }
func date(name string) Column  { return Column{Name: name, Kind: Date} }
func text(name string) Column  { return Column{Name: name, Kind: Text} }
func flag(name string) Column  { return Column{Name: name, Kind: Bool} }

func required(c Column) Column {
	c.Required = true
	return c
}

func posts() Table {
	return Table{"Posts", []Column{
		{Name: "Id", Required: true, Min: 0, Max: MaxPostID}, required(kind("PostTypeId")), ref("AcceptedAnswerId"), ref("ParentId"),
		required(date("CreationDate")), date("DeletionDate"), count("Score"), count("ViewCount"), text("Body"),
		ref("OwnerUserId"), text("OwnerDisplayName"), ref("LastEditorUserId"), text("LastEditorDisplayName"),
		date("LastEditDate"), date("LastActivityDate"), text("Title"), {Name: "Tags", Kind: TagList},
		count("AnswerCount"), count("CommentCount"), count("FavoriteCount"),
		date("ClosedDate"), date("CommunityOwnedDate"), text("ContentLicense"),
	}}
}

func comments() Table {
	return Table{"Comments", []Column{
		key(), required(ref("PostId")), count("Score"), text("Text"), required(date("CreationDate")),
		text("UserDisplayName"), ref("UserId"), text("ContentLicense"),
	}}
}

func votes() Table {
	return Table{"Votes", []Column{
		key(), required(ref("PostId")), required(kind("VoteTypeId")), ref("UserId"), date("CreationDate"), count("BountyAmount"),
	}}
}

func postLinks() Table {
	return Table{"PostLinks", []Column{
		key(), date("CreationDate"), required(ref("PostId")), required(ref("RelatedPostId")), required(kind("LinkTypeId")),
	}}
}

func tags() Table {
	return Table{"Tags", []Column{
		key(), {Name: "TagName", Kind: Text, Required: true, MaxLen: 255}, count("Count"),
		ref("ExcerptPostId"), ref("WikiPostId"), flag("IsModeratorOnly"), flag("IsRequired"),
	}}
}

// SplitTags yields the tags of a stored list, |a|b|, in their order. Empty tags
// are left out. The slices share the list's memory.
func SplitTags(list []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for rest := list; len(rest) > 0; {
			end := bytes.IndexByte(rest, '|')
			if end < 0 {
				end = len(rest)
			}
			if end > 0 && !yield(rest[:end]) {
				return
			}
			rest = rest[min(end+1, len(rest)):]
		}
	}
}
