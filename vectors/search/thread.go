package search

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
	"s2g/vectors/shard"
	"s2g/vectors/text"
)

// Answer is an answer to a question that was found.
type Answer struct {
	PostID   int64  `json:"post_id"`
	IRI      string `json:"iri"`
	Accepted bool   `json:"accepted"`
	Votes    int32  `json:"votes"`
	Created  string `json:"creation_date,omitempty"`
	Text     string `json:"text,omitempty"` // whole and cleaned
	Author   string `json:"author,omitempty"`
	License  string `json:"license,omitempty"`
}

// AddThreads adds to each hit its whole text, from parents/ of the build in out, and its
// answers from the tables: the accepted one first, then by falling score. Where db is nil
// it adds the accepted answer alone, with its text where answers are embedded.
func AddThreads(ctx context.Context, out string, db *tables.DB, hits []Hit) error {
	m, err := manifest.Read(out)
	if err != nil {
		return err
	}
	catalog, err := shard.OpenCatalog(out, m)
	if err != nil {
		return err
	}
	cleaner := &text.Cleaner{Languages: m.Options.Table(), Links: m.Options.Links}
	for i := range hits {
		h := &hits[i]
		parent, err := catalog.FindParent(h.PostID)
		if err != nil {
			return err
		}
		if parent != nil {
			h.Text = parent.Text
		}
		if db != nil {
			h.Answers, err = readAnswers(ctx, db, cleaner, h)
		} else if h.AcceptedAnswerID != 0 {
			h.Answers, err = findAccepted(catalog, h)
		}
		if err != nil {
			return fmt.Errorf("the answers to %d: %w", h.PostID, err)
		}
	}
	return nil
}

// site returns the base of the hit's IRI.
func (h *Hit) site() vocab.Site {
	site, _, _ := strings.Cut(h.IRI, "/questions/")
	return vocab.Site(site)
}

const answerColumns = "p.Id, p.Body, p.Score, p.OwnerUserId, p.OwnerDisplayName, p.ContentLicense, p.CreationDate, p.LastEditDate, p.LastEditorUserId"

// readAnswers reads the answers to a question from the tables.
func readAnswers(ctx context.Context, db *tables.DB, cleaner *text.Cleaner, h *Hit) ([]Answer, error) {
	query := fmt.Sprintf("SELECT %s FROM Posts p WHERE p.ParentId = %d AND p.PostTypeId = %d ORDER BY p.Id = %d DESC, p.Score DESC, p.Id",
		answerColumns, h.PostID, schema.PostAnswer, h.AcceptedAnswerID)
	tags := []byte(strings.Join(h.Tags, "|"))
	var answers []Answer
	err := db.EachRow(ctx, query, func(r [][]byte) error {
		id := tables.Int(r[0])
		a := Answer{
			PostID: id, IRI: h.site().Answer(id), Accepted: id == h.AcceptedAnswerID, Votes: int32(tables.Int(r[2])),
			Created: serverDate(r[6]),
			Text:    cleaner.Clean(r[1], tags), Author: string(r[4]), License: vocab.LicenseIRI(r[5], r[6], r[7], r[8]),
		}
		if r[3] != nil {
			a.Author = h.site().User(tables.Int(r[3]))
		}
		answers = append(answers, a)
		return nil
	})
	return answers, err
}

// serverDate converts a date in the server's form. NULL is empty.
func serverDate(value []byte) string {
	t, err := time.Parse("2006-01-02 15:04:05", string(value)) // accepts fractions, too
	if err != nil {
		return ""
	}
	return formatDate(t)
}

// findAccepted finds the accepted answer in the shards.
func findAccepted(catalog *shard.Catalog, h *Hit) ([]Answer, error) {
	a := Answer{PostID: h.AcceptedAnswerID, IRI: h.site().Answer(h.AcceptedAnswerID), Accepted: true}
	point, err := catalog.FindPost(a.PostID, "")
	if err != nil || point == nil {
		return []Answer{a}, err
	}
	a.Author, a.License = cmp.Or(point.Author, point.AuthorName), point.License
	a.Created = formatDate(time.UnixMilli(point.CreationDate))
	if point.Score != nil {
		a.Votes = *point.Score
	}
	parent, err := catalog.FindParent(a.PostID)
	if parent != nil {
		a.Text = parent.Text
	}
	return []Answer{a}, err
}
