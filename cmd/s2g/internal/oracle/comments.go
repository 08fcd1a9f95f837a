package oracle

import (
	"context"

	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// commentRules are the rules of comments.
var commentRules = []rule{
	{term: vocab.CommentID, mark: markInteger, object: "c.Id"},
	{term: vocab.Score, mark: markInteger, object: "c.Score"},
	{term: vocab.HasBody, mark: markText, object: "c.Text"},
	{term: vocab.CreationDate, mark: markDate, object: "c.CreationDate"},
	{term: vocab.AuthorName, mark: markText, object: "c.UserDisplayName"},
	{term: vocab.Author, mark: markIRI, object: "CONCAT('/users/',c.UserId)", presence: "c.UserId"},
	{term: vocab.License, mark: markIRI, object: license("c.ContentLicense", "c.CreationDate"), presence: "1"},
}

// commentScan returns the scan of Comments.
func (r *tableReader) commentScan() scan {
	has, isComment := mustTerm(vocab.HasComment), mustTerm(vocab.Comment)
	selected := r.columnsOf("Comments", "c")
	postAt, idAt := selected.place("c.PostId"), selected.place("c.Id")
	rules := selected.placeRules(commentRules, r.options.CountsOnly)
	query := "SELECT " + selected.String() + " FROM Comments c WHERE TRUE" + r.selection.posts.in("c.PostId")
	return scan{name: "comments", terms: termsOf(rules, has, isComment), run: func(ctx context.Context, c *collector) error {
		comment, post := subject{countsOnly: r.options.CountsOnly}, subject{countsOnly: r.options.CountsOnly}
		print := r.printer("Comments")
		return r.db.EachRow(ctx, query, func(row [][]byte) error {
			print.add(row)
			m := r.memberships.at(tables.Int(row[postAt]))
			in := r.memberships.graphs(m)
			switch {
			case len(in) > 0:
			case m.is(isWiki):
				c.omitted[CommentsOnWikis]++
				return nil
			case m.is(inDump):
				c.omitted[CommentsOutside]++
				return nil
			default:
				c.omitted[CommentsWithoutPost]++
				return nil
			}
			comment.set(commentPath, row[idAt])
			post.set(m.path(), row[postAt])
			c.addQuad(in, has, post.path, post.quad(markIRI, comment.path))
			c.addQuad(in, isComment, comment.path, comment.typeQuad())
			c.addRow(in, &comment, rules, false, row)
			return nil
		})
	}}
}
