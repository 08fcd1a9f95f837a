package sample

import (
	"strings"
	"testing"

	"s2g/schema"
)

// TestShares holds the make-up of a sample against what real dumps have: wide
// bounds, which only a mistake leaves.
func TestShares(t *testing.T) {
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
