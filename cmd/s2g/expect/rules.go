package expect

import "s2g/schema/vocab"

// mark tells what kind of value an object is; see the package comment.
type mark string

const (
	asType mark = "a"
	asIRI  mark = "<"
	asText mark = `"`
	asInt  mark = "#"
	asDate mark = "@"
)

// rule says which rows of a block's scan give a quad of a term, and what its
// text is. The subject is a list of SQL expressions to be concatenated, as is an
// object that is an IRI.
type rule struct {
	term    string
	subject string
	mark    mark
	object  string // a column, for literals; empty for a type
	when    string // condition; empty: always
	null    string // a column without which there is no quad
}

// block is the rules that one scan serves.
type block struct {
	name  string
	needs string // the dump's table that it reads; where that is missing, there are no such quads
	tags  bool   // reads the temporary tables of tags
	from  string
	set   string // the row's set of graphs
	with  string // a second set, that it is united with; empty: none
	once  string // whether the row is the first of its node over all graphs; empty: it is
	rules []rule
}

const postSubject = "IF(m.Kind=1,'/questions/','/a/'),p.Id"

// blocks returns all rules. A block's rows are distinct within each graph.
func blocks(materialize bool) []block {
	return []block{posts(), comments(), answered(), votes(), tagged(), described(), wikis(), links(materialize)}
}

func posts() block {
	const question, answer = "m.Kind=1", "m.Kind=2"
	const accepted = "m.Kind=2 AND p.Id=m.Accepted"
	const better = "m.Kind=2 AND p.Id<>m.Accepted AND IFNULL(p.Score,0)>m.AcceptedScore"
	const parent = "'/questions/',p.ParentId"
	s := postSubject
	b := block{
		name: "posts", needs: "Posts",
		from: "S2GMember m STRAIGHT_JOIN Posts p ON p.Id=m.Id", set: "m.S",
		rules: []rule{
			{term: vocab.Question, subject: s, mark: asType, when: question},
			{term: vocab.Answer, subject: s, mark: asType, when: answer},
			{term: vocab.AcceptedAnswer, subject: s, mark: asType, when: accepted},
			{term: vocab.PossibleBetterAnswer, subject: s, mark: asType, when: better},
			{term: vocab.HasAnswer, subject: parent, mark: asIRI, object: "'/a/',p.Id", when: answer},
			{term: vocab.HasAcceptedAnswer, subject: parent, mark: asIRI, object: "'/a/',p.Id", when: accepted},
			{term: vocab.HasPossibleBetterAnswer, subject: parent, mark: asIRI, object: "'/a/',p.Id", when: better},
			{term: vocab.HasTitle, subject: s, mark: asText, object: "p.Title", when: question},
			{term: vocab.ViewCount, subject: s, mark: asInt, object: "p.ViewCount", when: question},
			{term: vocab.AnswerCount, subject: s, mark: asInt, object: "p.AnswerCount", when: question},
			{term: vocab.FavoriteCount, subject: s, mark: asInt, object: "p.FavoriteCount", when: question},
			{term: vocab.ClosedDate, subject: s, mark: asDate, object: "p.ClosedDate", when: question},
		},
	}
	b.rules = append(b.rules, anyPost(s)...)
	return b
}

// anyPost are the rules of questions, answers, wikis and excerpts alike.
func anyPost(s string) []rule {
	const edited = "IF(p.LastEditorUserId<=>-1,NULL,p.LastEditDate)"
	return []rule{
		{term: vocab.PostID, subject: s, mark: asInt, object: "p.Id"},
		{term: vocab.Score, subject: s, mark: asInt, object: "p.Score"},
		{term: vocab.HasBody, subject: s, mark: asText, object: "p.Body"},
		{term: vocab.CommentCount, subject: s, mark: asInt, object: "p.CommentCount"},
		{term: vocab.CreationDate, subject: s, mark: asDate, object: "p.CreationDate"},
		{term: vocab.LastEditDate, subject: s, mark: asDate, object: "p.LastEditDate"},
		{term: vocab.LastActivityDate, subject: s, mark: asDate, object: "p.LastActivityDate"},
		{term: vocab.CommunityOwnedDate, subject: s, mark: asDate, object: "p.CommunityOwnedDate"},
		{term: vocab.AuthorName, subject: s, mark: asText, object: "p.OwnerDisplayName"},
		{term: vocab.Author, subject: s, mark: asIRI, object: "'/users/',p.OwnerUserId", null: "p.OwnerUserId"},
		{term: vocab.License, subject: s, mark: asIRI, object: license("p.ContentLicense", "IFNULL("+edited+",p.CreationDate)")},
	}
}

func comments() block {
	const s = "'/posts/comments/',c.Id"
	return block{
		name: "comments", needs: "Comments",
		from: "Comments c STRAIGHT_JOIN S2GMember m ON m.Id=c.PostId", set: "m.S",
		rules: []rule{
			{term: vocab.HasComment, subject: "IF(m.Kind=1,'/questions/','/a/'),c.PostId", mark: asIRI, object: s},
			{term: vocab.Comment, subject: s, mark: asType},
			{term: vocab.CommentID, subject: s, mark: asInt, object: "c.Id"},
			{term: vocab.Score, subject: s, mark: asInt, object: "c.Score"},
			{term: vocab.HasBody, subject: s, mark: asText, object: "c.Text"},
			{term: vocab.CreationDate, subject: s, mark: asDate, object: "c.CreationDate"},
			{term: vocab.AuthorName, subject: s, mark: asText, object: "c.UserDisplayName"},
			{term: vocab.Author, subject: s, mark: asIRI, object: "'/users/',c.UserId", null: "c.UserId"},
			{term: vocab.License, subject: s, mark: asIRI, object: license("c.ContentLicense", "c.CreationDate")},
		},
	}
}

func answered() block {
	const s = "'/questions/',q.Id"
	return block{
		name: "answered questions", needs: "Posts",
		from: "S2GQuestions q LEFT JOIN (SELECT DISTINCT Parent FROM S2GMember WHERE Kind=2) a ON a.Parent=q.Id",
		set:  "q.S",
		rules: []rule{
			{term: vocab.AnsweredQuestion, subject: s, mark: asType, when: "a.Parent IS NOT NULL"},
			{term: vocab.UnansweredQuestion, subject: s, mark: asType, when: "a.Parent IS NULL"},
		},
	}
}

func votes() block {
	const s = "IF(v.Kind=1,'/questions/','/a/'),v.Id"
	return block{
		name: "votes", needs: "Votes",
		from: `(SELECT m.Id, m.S, m.Kind, COUNT(IF(w.VoteTypeId=2,1,NULL)) Up, COUNT(IF(w.VoteTypeId=3,1,NULL)) Down
			FROM S2GMember m LEFT JOIN Votes w ON w.PostId=m.Id AND w.VoteTypeId IN (2,3) GROUP BY m.Id) v`,
		set: "v.S",
		rules: []rule{
			{term: vocab.UpVotes, subject: s, mark: asInt, object: "v.Up"},
			{term: vocab.DownVotes, subject: s, mark: asInt, object: "v.Down"},
		},
	}
}

func tagged() block {
	return block{
		name: "tags of questions", needs: "Posts", tags: true,
		from: "S2GQuestions q STRAIGHT_JOIN S2GAsked a ON a.Id=q.Id JOIN S2GNumbers n ON n.N<=a.Width", set: "q.S",
		rules: []rule{{term: vocab.TaggedWith, subject: "'/questions/',q.Id", mark: asIRI, object: "'/tags/'," + nthTag}},
	}
}

func described() block {
	const s = "'/tags/',d.Tag"
	return block{
		name: "tags", needs: "Posts", tags: true,
		from: "S2GDescribed d", set: "d.S", once: "d.First",
		rules: []rule{
			{term: vocab.Tag, subject: s, mark: asType},
			{term: vocab.TagName, subject: s, mark: asText, object: "d.Tag"},
			{term: vocab.TagCount, subject: s, mark: asInt, object: "d.Count"},
			{term: vocab.HasTagWiki, subject: s, mark: asIRI, object: "'/posts/',d.Wiki", null: "d.Wiki"},
			{term: vocab.HasTagWikiExcerpt, subject: s, mark: asIRI, object: "'/posts/',d.Excerpt", null: "d.Excerpt"},
		},
	}
}

func wikis() block {
	const s = "'/posts/',p.Id"
	return block{
		name: "tag wikis", needs: "Tags", tags: true,
		from: "S2GWikis w STRAIGHT_JOIN Posts p ON p.Id=w.Id", set: "w.S", once: "w.First",
		rules: append([]rule{
			{term: vocab.TagWiki, subject: s, mark: asType, when: "p.PostTypeId=5"},
			{term: vocab.TagWikiExcerpt, subject: s, mark: asType, when: "p.PostTypeId=4"},
		}, anyPost(s)...),
	}
}

func links(materialize bool) block {
	const s, o = "IF(a.Kind=1,'/questions/','/a/'),a.Id", "IF(b.Kind=1,'/questions/','/a/'),b.Id"
	const duplicate = "l.LinkTypeId=3 AND a.Kind=1 AND b.Kind=1"
	b := block{
		name: "links", needs: "PostLinks",
		from: `(SELECT DISTINCT PostId, RelatedPostId, LinkTypeId FROM PostLinks WHERE LinkTypeId IN (1,3)) l
			JOIN S2GMember a ON a.Id=l.PostId JOIN S2GMember b ON b.Id=l.RelatedPostId`, set: "a.S", with: "b.S",
		rules: []rule{
			{term: vocab.LinkedTo, subject: s, mark: asIRI, object: o, when: "l.LinkTypeId=1"},
			{term: vocab.DuplicateOf, subject: s, mark: asIRI, object: o, when: duplicate},
		},
	}
	if materialize {
		const alone = "NOT EXISTS (SELECT 1 FROM PostLinks x WHERE x.PostId=l.PostId AND x.RelatedPostId=l.RelatedPostId AND x.LinkTypeId=1)"
		b.rules = append(b.rules, rule{term: "sioc:links_to", subject: s, mark: asIRI, object: o, when: "l.LinkTypeId=1 OR " + duplicate + " AND " + alone})
	}
	return b
}

// license is the IRI of a licence: the version that content names, else that of
// the day. The licences of today are compared as a whole, which costs less than
// the regular expression.
func license(content, date string) string {
	day := "IF(" + date + "<'2011-04-08','2.5',IF(" + date + "<'2018-05-02','3.0','4.0'))"
	return "'https://creativecommons.org/licenses/by-sa/'," +
		"CASE " + content + " WHEN 'CC BY-SA 4.0' THEN '4.0' WHEN 'CC BY-SA 3.0' THEN '3.0' WHEN 'CC BY-SA 2.5' THEN '2.5'" +
		" ELSE COALESCE(NULLIF(REGEXP_SUBSTR(" + content + ",'[0-9]\\\\.[0-9]'),'')," + day + ") END,'/'"
}

// present is an SQL expression that is not NULL exactly where there is a quad,
// and that needs no text to be read.
func (r rule) present() string {
	value := "1"
	switch {
	case r.null != "":
		value = r.null
	case r.mark == asText || r.mark == asInt || r.mark == asDate:
		value = r.object
	}
	if r.when != "" {
		return "IF(" + r.when + "," + value + ",NULL)"
	}
	return value
}
