package tables

import (
	"strings"
	"testing"

	"s2g/schema"
)

const (
	post1 = "1\t1\t\\N\t\\N\t2008-07-31 00:00:00.001\t\\N\t-3\t7\t<p>a\\tb\\\\c\\nd\\re\\0\u00e9 \U0001F600</p>\t-1\t\\N\t\\N\t\\N\t\\N\t\\N\t\t|c#|\t0\t\\N\t\\N\t\\N\t\\N\tCC BY-SA 2.5\n"
	post2 = "5\t2\t\\N\t1\t2008-08-01 00:00:00.000\t\\N\t\\N\t\\N\t\t\\N\tanna\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\n"
)

// fingerprintOfLines is the fingerprint that an ingest computes.
func fingerprintOfLines(lines ...string) (f Fingerprint) {
	for _, l := range lines {
		f.Add([]byte(strings.TrimSuffix(l, "\n")))
	}
	return f
}

func TestFingerprintOfTableIsThatOfTheRowsSent(t *testing.T) {
	t.Parallel()
	db := open(t)
	serve(t, db, "key", map[string]string{"Posts": post1 + post2, "Votes": ""})
	posts := table(t, "Posts")
	want := fingerprintOfLines(post2, post1) // in another order
	var read int64
	got, err := db.FingerprintOf(t.Context(), posts, 1, func(n int64) { read += n })
	if err != nil || got != want || read != 2 {
		t.Errorf("fingerprint %s of %d rows, %v, want %s", got, read, err, want)
	}
	if got, err := db.FingerprintOf(t.Context(), table(t, "Votes"), 4, nil); err != nil || got.String() != "0-0000000000000000" {
		t.Errorf("an empty table: %s, %v", got, err)
	}
	for _, change := range []struct{ statement, back string }{
		{"UPDATE Posts SET Body = CONCAT(Body, ' ') WHERE Id = 1", "UPDATE Posts SET Body = LEFT(Body, CHAR_LENGTH(Body)-1) WHERE Id = 1"},
		{"UPDATE Posts SET Score = 0 WHERE Id = 5", "UPDATE Posts SET Score = NULL WHERE Id = 5"},
		{"UPDATE Posts SET Title = NULL WHERE Id = 1", "UPDATE Posts SET Title = '' WHERE Id = 1"},
		{"UPDATE Posts SET CreationDate = '2008-07-31 00:00:00.002' WHERE Id = 1", "UPDATE Posts SET CreationDate = '2008-07-31 00:00:00.001' WHERE Id = 1"},
		{"UPDATE Posts SET Id = 6 WHERE Id = 5", "UPDATE Posts SET Id = 5 WHERE Id = 6"},
		{"UPDATE Posts a, Posts b SET a.Body = b.Body, b.Body = a.Body, a.Score = -4 WHERE a.Id = 1 AND b.Id = 5", ""},
	} {
		if _, err := db.SQL().Exec(change.statement); err != nil {
			t.Fatal(err)
		}
		if got, err := db.FingerprintOf(t.Context(), posts, 2, nil); err != nil || got == want {
			t.Errorf("after %s: %s, %v", change.statement, got, err)
		}
		if change.back == "" {
			break
		}
		if _, err := db.SQL().Exec(change.back); err != nil {
			t.Fatal(err)
		}
		if got, err := db.FingerprintOf(t.Context(), posts, 2, nil); err != nil || got != want {
			t.Errorf("after %s: %s, %v, want %s", change.back, got, err, want)
		}
	}
}

// The ids of a table may lie in a few far clusters.
func TestFingerprintOfFarIds(t *testing.T) {
	t.Parallel()
	db := open(t)
	far := strings.Replace(vote2, "2\t", "9223372036854775807\t", 1)
	serve(t, db, "key", map[string]string{"Votes": vote1 + far})
	got, err := db.FingerprintOf(t.Context(), table(t, "Votes"), 3, nil)
	if want := fingerprintOfLines(vote1, far); err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

func TestCompareNamesTheFirstDifference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ statement, difference string }{
		{"DO 0", ""},
		{"CREATE TABLE Notes (Id INT)", ""}, // of people
		{"DROP TABLE Votes", "the table Votes is missing"},
		{"RENAME TABLE Votes TO votes", "the table Votes is missing"},
		{"CREATE TABLE Tags (Id INT)", "the table Tags exists, which the ingest left out"},
		{"ALTER TABLE Posts ADD COLUMN Mine INT", "the table Posts has other columns or indexes"},
		{"ALTER TABLE Posts DROP KEY ParentId", "the table Posts has other columns or indexes"},
		{"DELETE FROM Votes WHERE Id = 2", "the table Votes has 1 rows, the ingest left 2"},
		{"UPDATE Votes SET VoteTypeId = 3 WHERE Id = 1", "a row of the table Votes has changed since the ingest: its fingerprint is 2-"},
	} {
		t.Run(c.statement, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			serve(t, db, "key", map[string]string{"Posts": post1, "Votes": vote1 + vote2})
			if _, err := db.SQL().Exec(c.statement); err != nil {
				t.Fatal(err)
			}
			rows, difference, err := db.Compare(t.Context(), map[string]string{
				"Posts": fingerprintOfLines(post1).String(), "Votes": fingerprintOfLines(vote1, vote2).String(),
			}, 0, nil)
			if err != nil || !strings.HasPrefix(difference, c.difference) || c.difference == "" && (difference != "" || rows != 3) {
				t.Errorf("%d rows, %q, %v", rows, difference, err)
			}
		})
	}
}

// Every column of the schema is in the fingerprint.
func TestFingerprintCoversTheSchema(t *testing.T) {
	t.Parallel()
	db := open(t)
	for _, tb := range schema.Tables() {
		serve(t, db, tb.Name, map[string]string{tb.Name: ""})
		if difference, err := db.Look(t.Context(), []string{tb.Name}); difference != "" || err != nil {
			t.Errorf("%s: %s, %v", tb.Name, difference, err)
		}
	}
}
