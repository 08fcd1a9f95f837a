package publish

import (
	"strings"

	"github.com/parquet-go/parquet-go"

	"s2g/vectors/shard"
)

// column is a column of a shard or of the whole texts.
type column struct {
	Name  string
	Type  string // in Croissant's terms, as sc:Text
	List  bool
	About string
}

// about says what the columns hold.
var about = map[string]string{
	"point_id":            "post_id << 16 | chunk: unique in a language, and the point's id in Qdrant",
	"post_id":             "the post; so:postId in the graph",
	"question_id":         "the question that it is, or answers",
	"iri":                 "the post in the graph, and its page on the site: the source to name",
	"type":                "question or answer",
	"language":            "the language's tag",
	"languages":           "all selected languages of the question",
	"chunk":               "number of the chunk in its post, from 0",
	"chunks":              "how many the post has",
	"start":               "where the chunk begins in the whole text, in code points",
	"end":                 "where it ends",
	"title":               "the question's title",
	"text":                "what was embedded: the title, an empty line, the chunk",
	"tags":                "the question's tags",
	"score":               "votes up less votes down",
	"answer_count":        "the question's answers, as the site counts them",
	"has_accepted_answer": "an accepted answer is in the dump",
	"accepted_answer_id":  "its post id",
	"duplicate_of":        "post ids of the questions that this one duplicates",
	"linked_to":           "post ids that this post links to",
	"closed":              "the question was closed",
	"creation_date":       "when the post was written, in UTC",
	"author":              "profile of the author on the site: whom to name",
	"author_name":         "display name of an author without a profile",
	"license":             "the Creative Commons licence of the post",
	"content_hash":        "SHA-256 of text, hexadecimal",
	"dense":               "dense vector of text, of unit length",
	"sparse_indices":      "terms of the sparse vector, ascending",
	"sparse_values":       "their weights",
}

// parentsAbout says what the columns of whole texts hold.
var parentsAbout = map[string]string{
	"post_id": "the post",
	"title":   "the question's title",
	"text":    "the whole cleaned text, of which the chunks are parts",
}

// columns are those of a shard.
func columns() []column { return describe(parquet.SchemaOf(shard.Point{}), about) }

// parentsColumns are those of the whole texts.
func parentsColumns() []column { return describe(parquet.SchemaOf(shard.Parent{}), parentsAbout) }

func describe(s *parquet.Schema, about map[string]string) []column {
	var list []column
	for _, f := range s.Fields() {
		c := column{Name: f.Name(), About: about[f.Name()]}
		leaf := parquet.Node(f)
		for !leaf.Leaf() { // a list is a group of a group of its elements
			leaf, c.List = leaf.Fields()[0], true
		}
		c.Type = dataType(c.Name, leaf.Type().String())
		list = append(list, c)
	}
	return list
}

// dataType is Croissant's name of a column's type.
func dataType(name, of string) string {
	switch {
	case name == "iri" || name == "author" || name == "license":
		return "sc:URL"
	case of == "STRING":
		return "sc:Text"
	case of == "BOOLEAN":
		return "sc:Boolean"
	case of == "FLOAT":
		return "sc:Float"
	case strings.HasPrefix(of, "TIMESTAMP"):
		return "sc:DateTime"
	}
	return "sc:Integer"
}
