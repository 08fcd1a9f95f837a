package sample

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"s2g/schema/schematest"
)

// A row is one row of a file, as encoding/xml reads it.
type row struct {
	names  []string
	values map[string]string
}

func (r row) int(name string) int64 {
	n, _ := strconv.ParseInt(r.values[name], 10, 64)
	return n
}

func column(rows []row, name string) []int64 {
	var v []int64
	for _, r := range rows {
		v = append(v, r.int(name))
	}
	return v
}

func rows(t testing.TB, dir, table string) []row {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(read(t, dir, table), []byte(bom))))
	var all []row
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%s: %v", table, err)
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "row" {
			continue
		}
		r := row{values: make(map[string]string)}
		for _, a := range e.Attr {
			r.names = append(r.names, a.Name.Local)
			r.values[a.Name.Local] = a.Value
		}
		all = append(all, r)
	}
}

func TestXmllint(t *testing.T) {
	lint := schematest.Tool(t, "xmllint")
	dir, _ := write(t, Options{Posts: 2000})
	for _, table := range tables {
		if out, err := exec.Command(lint, "--noout", filepath.Join(dir, table+".xml")).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", table, err, out)
		}
	}
}

// TestConsistent holds what the rows say of each other against the rows.
func TestConsistent(t *testing.T) {
	for _, posts := range []int{1, 90, 4096, 10_000} {
		t.Run(fmt.Sprint(posts), func(t *testing.T) {
			dir, st := write(t, Options{Posts: posts, Seed: uint64(posts)})
			all := make(map[string][]row)
			for _, table := range tables {
				all[table] = rows(t, dir, table)
				last := int64(0)
				for _, r := range all[table] {
					if r.int("Id") <= last {
						t.Fatalf("%s: Id %d after %d", table, r.int("Id"), last)
					}
					last = r.int("Id")
				}
			}
			if st.Posts != int64(posts) || int(st.Posts) != len(all["Posts"]) || int(st.Comments) != len(all["Comments"]) ||
				int(st.Votes) != len(all["Votes"]) || int(st.PostLinks) != len(all["PostLinks"]) || int(st.Tags) != len(all["Tags"]) {
				t.Errorf("counted %+v", st)
			}
			checkPosts(t, all)
			checkTags(t, all)
		})
	}
}

func checkPosts(t *testing.T, all map[string][]row) {
	posts := make(map[int64]row)
	answers, comments, score, favourites := make(map[int64]int64), make(map[int64]int64), make(map[int64]int64), make(map[int64]int64)
	accepts := make(map[int64]bool)
	date := ""
	for _, p := range all["Posts"] {
		posts[p.int("Id")] = p
		answers[p.int("ParentId")]++
		if p.values["CreationDate"] <= date {
			t.Errorf("post %d is not younger than the one before", p.int("Id"))
		}
		date = p.values["CreationDate"]
	}
	strays := 0
	for _, c := range all["Comments"] {
		comments[c.int("PostId")]++
		if _, ok := posts[c.int("PostId")]; !ok {
			strays++
		}
	}
	for _, v := range all["Votes"] {
		switch v.int("VoteTypeId") {
		case voteAccept:
			accepts[v.int("PostId")] = true
		case voteUp:
			score[v.int("PostId")]++
		case voteDown:
			score[v.int("PostId")]--
		case voteFavourite:
			favourites[v.int("PostId")]++
		}
	}
	for id, p := range posts {
		question := p.int("PostTypeId") == 1
		if question && p.int("AnswerCount") != answers[id] {
			t.Errorf("post %d: AnswerCount %d, %d answers", id, p.int("AnswerCount"), answers[id])
		}
		if p.int("CommentCount") != comments[id] {
			t.Errorf("post %d: CommentCount %d, %d comments", id, p.int("CommentCount"), comments[id])
		}
		if p.int("Score") != score[id] || p.int("FavoriteCount") != favourites[id] {
			t.Errorf("post %d: score %d of %d, favourites %d of %d", id, p.int("Score"), score[id], p.int("FavoriteCount"), favourites[id])
		}
		if a := p.int("AcceptedAnswerId"); a != 0 && (posts[a].int("ParentId") != id || !accepts[a]) {
			t.Errorf("question %d accepts %d, which is no answer to it or has no such vote", id, a)
		}
		if p.int("PostTypeId") == 2 {
			q, ok := posts[p.int("ParentId")]
			if !ok || q.int("PostTypeId") != 1 || q.int("Id") > id {
				t.Errorf("answer %d: no question %d before it", id, p.int("ParentId"))
			}
		}
	}
	if n := len(all["Comments"]); n > 5000 && (strays == 0 || strays > n/100) {
		t.Errorf("%d of %d comments are on posts that are not there", strays, n)
	}
}

func checkTags(t *testing.T, all map[string][]row) {
	count := make(map[string]int64)
	kinds := make(map[int64]int64)
	for _, p := range all["Posts"] {
		kinds[p.int("Id")] = p.int("PostTypeId")
		for tag := range strings.SplitSeq(strings.Trim(p.values["Tags"], "<>"), "><") {
			count[tag]++
		}
	}
	delete(count, "")
	for _, r := range all["Tags"] {
		name := r.values["TagName"]
		if r.int("Count") != count[name] {
			t.Errorf("tag %s: Count %d, %d questions", name, r.int("Count"), count[name])
		}
		delete(count, name)
		if w := r.int("WikiPostId"); w != 0 && (kinds[w] != 5 || kinds[r.int("ExcerptPostId")] != 4) {
			t.Errorf("tag %s: wiki or excerpt is not there", name)
		}
	}
	if len(count) != 0 {
		t.Errorf("tags without a row: %v", count)
	}
}
