package oracle

import (
	"context"

	"s2g/schema/tables"
	"s2g/schema/vocab"
)

var commentRules = []rule{
	{term: vocab.CommentID, mark: asInt, object: "c.Id"},
	{term: vocab.Score, mark: asInt, object: "c.Score"},
	{term: vocab.HasBody, mark: asText, object: "c.Text"},
	{term: vocab.CreationDate, mark: asDate, object: "c.CreationDate"},
	{term: vocab.AuthorName, mark: asText, object: "c.UserDisplayName"},
	{term: vocab.Author, mark: asIRI, object: "CONCAT('/users/',c.UserId)", null: "c.UserId"},
	{term: vocab.License, mark: asIRI, object: license("c.ContentLicense", "c.CreationDate"), null: "1"},
}

// commentScan reads Comments.
func (s *survey) commentScan() scan {
	has, kind := named(vocab.HasComment), named(vocab.Comment)
	c := columns{"c.PostId", "c.Id"}
	rules := place(&c, commentRules, s.options.CountsOnly)
	terms := termsOf(rules, has, kind)
	query := "SELECT " + c.String() + " FROM Comments c WHERE TRUE" + s.only.posts.in("c.PostId")
	return scan{name: "comments", terms: terms, run: func(ctx context.Context, o *out) error {
		n, under := node{mute: s.options.CountsOnly}, node{mute: s.options.CountsOnly}
		return s.each(ctx, query, func(row [][]byte) error {
			p := s.members.at(tables.Int(row[0]))
			in := s.members.graphs(p)
			if len(in) == 0 {
				return nil
			}
			n.begin(commentPath, row[1])
			under.begin(p.path(), row[0])
			o.quad(in, has, under.path, under.object(asIRI, n.path))
			o.quad(in, kind, n.path, n.typed())
			say(o, in, &n, rules, false, row)
			return nil
		})
	}}
}
