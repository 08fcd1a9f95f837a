package diff

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/schema"
	"s2g/schema/vocab"
	"s2g/vectors/shard"
)

type row = map[string]string

// languagesOf returns the tags of a question that are default languages, in the order
// of these.
func languagesOf(tags string) (in []string) {
	for _, l := range schema.DefaultLanguages() {
		if strings.Contains(tags, "<"+l.Tag+">") {
			in = append(in, l.Tag)
		}
	}
	return in
}

// plainPosts are the posts of a dump by id, each with its type, languages and
// properties in the graph.
type plainPosts map[int64]plainPost

type plainPost struct {
	question  bool
	languages []string
	values    map[string]string
}

// attributes of a dump's posts that become a property as they are.
var attributes = map[string]string{
	"Title": vocab.HasTitle, "Body": vocab.HasBody, "Tags": vocab.TaggedWith, "Score": vocab.Score, "ViewCount": vocab.ViewCount,
	"AnswerCount": vocab.AnswerCount, "CommentCount": vocab.CommentCount, "FavoriteCount": vocab.FavoriteCount,
	"CreationDate": vocab.CreationDate, "LastEditDate": vocab.LastEditDate, "LastActivityDate": vocab.LastActivityDate,
	"ClosedDate": vocab.ClosedDate, "CommunityOwnedDate": vocab.CommunityOwnedDate, "OwnerUserId": vocab.Author, "OwnerDisplayName": vocab.AuthorName,
}

// ofQuestions are attributes that the graph has of questions alone.
var ofQuestions = []string{"ViewCount", "AnswerCount", "FavoriteCount", "ClosedDate", "Title", "Tags"}

// readPlainPosts reads a dump of clean data, as the sample's.
func readPlainPosts(t *testing.T, dump string) plainPosts {
	rows := buildtest.Rows(t, filepath.Join(dump, "Posts.xml"))
	byID := map[string]row{}
	for _, r := range rows {
		byID[r["Id"]] = r
	}
	v := plainPosts{}
	answered := map[string]bool{}
	for _, r := range rows {
		of := r
		if r["PostTypeId"] == "2" {
			of = byID[r["ParentId"]]
			answered[r["ParentId"]] = true
		}
		if of["PostTypeId"] != "1" || len(languagesOf(of["Tags"])) == 0 {
			continue
		}
		p := plainPost{question: r["PostTypeId"] == "1", languages: languagesOf(of["Tags"]), values: map[string]string{}}
		for name, property := range attributes {
			if value, ok := r[name]; ok && (p.question || !slices.Contains(ofQuestions, name)) {
				p.values[property] = value
			}
		}
		p.values[vocab.License] = vocab.LicenseIRI([]byte(r["ContentLicense"]), []byte(r["CreationDate"]), []byte(r["LastEditDate"]), []byte(r["LastEditorUserId"]))
		if !p.question {
			p.values[class] = statusOfAnswer(byID, of, r)
		}
		id, _ := strconv.ParseInt(r["Id"], 10, 64)
		v[id] = p
	}
	for id, p := range v {
		if p.question {
			p.values[class] = fmt.Sprint(answered[strconv.FormatInt(id, 10)])
		}
	}
	v.votesAndLinks(t, dump)
	return v
}

// statusOfAnswer compares an answer with the accepted one of its question.
func statusOfAnswer(byID map[string]row, question, answer row) string {
	accepted := byID[question["AcceptedAnswerId"]]
	if accepted["ParentId"] != question["Id"] {
		return ""
	}
	a, _ := strconv.Atoi(accepted["Score"])
	b, _ := strconv.Atoi(answer["Score"])
	switch {
	case accepted["Id"] == answer["Id"]:
		return "accepted"
	case b > a:
		return "better"
	}
	return ""
}

func (v plainPosts) votesAndLinks(t *testing.T, dump string) {
	count := map[[2]string]int{}
	for _, r := range buildtest.Rows(t, filepath.Join(dump, "Votes.xml")) {
		count[[2]string{r["PostId"], r["VoteTypeId"]}]++
	}
	for id, p := range v {
		of := strconv.FormatInt(id, 10)
		p.values[vocab.UpVotes], p.values[vocab.DownVotes] = strconv.Itoa(count[[2]string{of, "2"}]), strconv.Itoa(count[[2]string{of, "3"}])
	}
	links := map[string][]string{}
	for _, r := range buildtest.Rows(t, filepath.Join(dump, "PostLinks.xml")) {
		from, _ := strconv.ParseInt(r["PostId"], 10, 64)
		to, _ := strconv.ParseInt(r["RelatedPostId"], 10, 64)
		a, ok1 := v[from]
		b, ok2 := v[to]
		name := map[string]string{"1": vocab.LinkedTo, "3": vocab.DuplicateOf}[r["LinkTypeId"]]
		if key := fmt.Sprint(from, name); ok1 && ok2 && name != "" && (name == vocab.LinkedTo || a.question && b.question) && !slices.Contains(links[key], r["RelatedPostId"]) {
			links[key] = append(links[key], r["RelatedPostId"])
			slices.Sort(links[key])
			a.values[name] = strings.Join(links[key], " ")
		}
	}
}

// plainResult is the result of comparePlainly.
type plainResult struct {
	posts              []Post
	questions, answers *Section
}

func comparePlainly(was, now plainPosts) (p plainResult) {
	count := map[bool]map[string]*Count{true: {}, false: {}}
	at := func(question bool, language string) *Count {
		c := count[question][language]
		if c == nil {
			c = &Count{Language: language}
			count[question][language] = c
		}
		return c
	}
	var distinct [2]Count
	ids := slices.Sorted(maps.Keys(was))
	for id := range now {
		if _, ok := was[id]; !ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		a, ok1 := was[id]
		b, ok2 := now[id]
		question := a.question || b.question
		of := Post{ID: id, Type: map[bool]string{true: "question", false: "answer"}[question]}
		what := same
		if ok1 && ok2 {
			for _, name := range properties {
				if a.values[name] != b.values[name] {
					of.Changed = append(of.Changed, name)
					what = max(what, otherChanged)
					if slices.Contains([]string{vocab.HasTitle, vocab.HasBody, vocab.TaggedWith}, name) {
						what = textChanged
					}
				}
			}
			if !slices.Equal(a.languages, b.languages) {
				of.Changed = append(of.Changed, "languages")
				what = max(what, otherChanged)
			}
		}
		switch {
		case !ok1:
			of.What = "added"
		case !ok2:
			of.What = "removed"
		case what != same:
			of.What = "changed"
		}
		for _, l := range schema.DefaultLanguages() {
			before, after := slices.Contains(a.languages, l.Tag), slices.Contains(b.languages, l.Tag)
			if before || after {
				at(question, l.Tag).count(before, after, what)
				of.Languages = append(of.Languages, l.Tag)
			}
		}
		sum := &distinct[0]
		if !question {
			sum = &distinct[1]
		}
		sum.count(ok1, ok2, what)
		if of.What != "" {
			p.posts = append(p.posts, of)
		}
	}
	section := func(question bool, distinct Count) *Section {
		s := &Section{Distinct: distinct}
		for _, l := range schema.DefaultLanguages() {
			if c := count[question][l.Tag]; c != nil {
				s.Languages = append(s.Languages, *c)
			}
		}
		return s
	}
	p.questions, p.answers = section(true, distinct[0]), section(false, distinct[1])
	return p
}

// textsPlainly compares all texts of two builds in memory.
func textsPlainly(t *testing.T, was, now string) *Section {
	read := func(out string) (texts map[string]map[uint64]string, of map[int64][]string) {
		texts, of = map[string]map[uint64]string{}, map[int64][]string{}
		files, err := filepath.Glob(filepath.Join(out, "vectors", "*", "*.parquet"))
		check(t, err)
		for _, f := range files {
			r, err := shard.Open(f)
			check(t, err)
			for r.Scan() {
				p := r.Point()
				for _, language := range []string{p.Language, "all"} {
					if texts[language] == nil {
						texts[language] = map[uint64]string{}
					}
					texts[language][p.PointID] = p.Text
				}
				of[p.PostID] = append(of[p.PostID], p.Text)
			}
			check(t, errors.Join(r.Err(), r.Close()))
		}
		return texts, of
	}
	a, had := read(was)
	b, _ := read(now)
	count := func(language string) (c Count) {
		for id, text := range a[language] {
			other, ok := b[language][id]
			what := same
			if text != other {
				what = textChanged
			}
			c.count(true, ok, what)
		}
		for id, text := range b[language] {
			if _, ok := a[language][id]; !ok {
				c.count(false, true, same)
			}
			if !slices.Contains(had[shard.PostOf(id)], text) {
				c.Embed++
			}
		}
		return c
	}
	s := &Section{Distinct: count("all")}
	for _, l := range schema.DefaultLanguages() {
		if c := count(l.Tag); c.Before+c.After > 0 {
			c.Language = l.Tag
			s.Languages = append(s.Languages, c)
		}
	}
	return s
}
