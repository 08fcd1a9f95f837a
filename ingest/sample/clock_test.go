package sample

import (
	"testing"
	"time"
)

func TestAppendTime(t *testing.T) {
	for ms := opening - opening%1000 + 7; ms < closing+400*day; ms += 11*day + 3_723_456 {
		want := time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000")
		if got := string(appendTime(nil, ms)); got != want {
			t.Fatalf("%d: %s, want %s", ms, got, want)
		}
	}
}

func TestClockRuns(t *testing.T) {
	for _, posts := range []int64{1, 1000, 60_000_000, 1_000_000_000} {
		c := clock{posts: posts}
		for _, from := range []int64{0, posts / 2, max(0, posts-100)} {
			for slot := from; slot < min(posts-1, from+99); slot++ {
				if c.at(slot) >= c.at(slot+1) {
					t.Fatalf("%d posts: slot %d at %d, the next at %d", posts, slot, c.at(slot), c.at(slot+1))
				}
			}
		}
		if a, b := c.at(0), c.at(posts-1); a < opening || b > closing {
			t.Errorf("%d posts from %d to %d", posts, a, b)
		}
	}
}

func TestLicenceOf(t *testing.T) {
	for date, want := range map[string]string{
		"2011-04-07": "CC BY-SA 2.5", "2011-04-08": "CC BY-SA 3.0", "2018-05-01": "CC BY-SA 3.0", "2018-05-02": "CC BY-SA 4.0",
	} {
		d, err := time.Parse(time.DateOnly, date)
		if err != nil {
			t.Fatal(err)
		}
		if got := licenceOf(d.UnixMilli()); got != want {
			t.Errorf("%s: %s, want %s", date, got, want)
		}
	}
}
