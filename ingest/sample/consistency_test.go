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

	"s2g/schema"
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

// TestConsistent compares the counts and references of rows with the rows that they
// refer to.
func TestConsistent(t *testing.T) {
	t.Parallel()
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

// TestShares compares the composition of a sample with that of real dumps, within
// wide bounds that only a defect exceeds.
func TestShares(t *testing.T) {
	t.Parallel()
	dir, st := write(t, Options{Posts: 20_000})
	got := make(map[string]float64)
	selected := make(map[string]bool)
	for _, l := range schema.DefaultLanguages() {
		selected[l.Tag] = true
	}
	byTag := make(map[string]float64)
	byID := make(map[int64]row)
	posts := rows(t, dir, "Posts")
	for _, p := range posts {
		byID[p.int("Id")] = p
	}
	for _, p := range posts {
		size := float64(len(p.values["Body"]))
		if size > 3000 {
			got["long"]++
		}
		if p.int("Score") < 0 {
			got["negative"]++
		}
		if p.values["OwnerUserId"] == "" {
			got["unnamed"]++
		}
		switch p.int("PostTypeId") {
		case 1:
			got["question"]++
			got["question size"] += size
			languages := 0
			for tag := range strings.SplitSeq(strings.Trim(p.values["Tags"], "<>"), "><") {
				byTag[tag]++
				if selected[tag] {
					languages++
				}
			}
			switch languages {
			case 0:
				got["no language"]++
			case 2:
				got["two languages"]++
			}
			for _, name := range []string{"AcceptedAnswerId", "ClosedDate", "FavoriteCount"} {
				if p.values[name] != "" {
					got[name]++
				}
			}
			if p.int("AnswerCount") == 0 {
				got["unanswered"]++
			}
		case 2:
			got["answer"]++
			got["answer size"] += size
			accepted, ok := byID[byID[p.int("ParentId")].int("AcceptedAnswerId")]
			if ok && p.int("Score") > accepted.int("Score") {
				got["better"]++
			}
		}
	}
	links := rows(t, dir, "PostLinks")
	for _, l := range links {
		if l.int("LinkTypeId") == linkDuplicate {
			got["duplicates"]++
		}
	}
	n, q, a := float64(st.Posts), got["question"], got["answer"]
	for _, tc := range []struct {
		name     string
		got      float64
		min, max float64
	}{
		{"questions", q / n, 0.35, 0.45},
		{"answers", a / n, 0.52, 0.65},
		{"unanswered questions", got["unanswered"] / q, 0.1, 0.3},
		{"accepted", got["AcceptedAnswerId"] / (q - got["unanswered"]), 0.4, 0.65},
		{"better than the accepted", got["better"] / a, 0.03, 0.3},
		{"closed", got["ClosedDate"] / q, 0.02, 0.1},
		{"favourites", got["FavoriteCount"] / q, 0.05, 0.3},
		{"duplicates", got["duplicates"] / q, 0.02, 0.08},
		{"long posts", got["long"] / n, 0.03, 0.1},
		{"negative scores", got["negative"] / n, 0.01, 0.1},
		{"deleted owners", got["unnamed"] / n, 0.005, 0.03},
		{"size of a question", got["question size"] / q, 1000, 1400},
		{"size of an answer", got["answer size"] / a, 750, 1100},
		{"comments a post", float64(st.Comments) / n, 1, 2},
		{"votes a post", float64(st.Votes) / n, 2.3, 3.7},
		{"links a post", float64(len(links)) / n, 0.03, 0.15},
		{"no language", got["no language"] / q, 0.05, 0.25},
		{"two languages", got["two languages"] / q, 0.08, 0.25},
		{"javascript", byTag["javascript"] / q, 0.09, 0.16},
		{"abap", byTag["abap"] / q, 0.00001, 0.005},
	} {
		if tc.got < tc.min || tc.got > tc.max {
			t.Errorf("%s: %.4f, not from %g to %g", tc.name, tc.got, tc.min, tc.max)
		}
	}
}
