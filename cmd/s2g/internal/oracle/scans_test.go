package oracle_test

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/oracle"
)

// Compute reads each table in one scan, beside posts by their ids; with it come the texts of all posts in shards, each
// once.
func TestEachTableIsReadOnce(t *testing.T) {
	db := mini(t)
	for _, statement := range []string{"SET GLOBAL log_output='TABLE'", "TRUNCATE mysql.general_log", "SET GLOBAL general_log=1"} {
		if _, err := db.SQL().Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	defer db.SQL().Exec("SET GLOBAL general_log=0")
	texts := map[int64]int{}
	compute(t, db, oracle.Options{Other: true, Fields: true, Answers: true, Texts: func() func(*oracle.PostText) {
		return func(p *oracle.PostText) { texts[p.ID]++ }
	}})
	if _, err := db.SQL().Exec("SET GLOBAL general_log=0"); err != nil {
		t.Fatal(err)
	}
	from, byID := regexp.MustCompile(`(?s)^SELECT .*? FROM (\w+) \w\b`), regexp.MustCompile(`\.Id IN \(`)
	scans, points := map[string]int{}, 0
	err := db.EachRow(t.Context(), "SELECT argument FROM mysql.general_log WHERE command_type='Query'", func(row [][]byte) error {
		switch table := from.FindSubmatch(row[0]); {
		case table == nil:
		case byID.Match(row[0]):
			points++
		default:
			scans[string(table[1])]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"Posts": 1, "Comments": 1, "Votes": 1, "PostLinks": 1, "Tags": 1}, scans); diff != "" {
		t.Error(diff)
	}
	if points != 1 {
		t.Errorf("%d statements read posts by id", points)
	}
	posts := map[int64]int{}
	err = oracle.PostTexts(t.Context(), db, true, 0, 1<<40, nil, func(p *oracle.PostText) error { posts[p.ID] = 1; return nil })
	if err != nil {
		t.Fatal(err)
	}
	for id := range texts {
		if texts[id] != posts[id] {
			t.Errorf("post %d: %d texts", id, texts[id])
		}
	}
	if len(texts) < 7 {
		t.Errorf("texts of %d posts", len(texts))
	}
}
