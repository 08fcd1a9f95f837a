package vectors

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// Answer is an answer to a question that was found.
type Answer struct {
	PostID   int64  `json:"post_id"`
	IRI      string `json:"iri"`
	Accepted bool   `json:"accepted"`
	Votes    int32  `json:"votes"`
	Text     string `json:"text,omitempty"` // whole and cleaned
	Author   string `json:"author,omitempty"`
	License  string `json:"license,omitempty"`
}

// Threads fills in the whole text of hits, from the parents of the build in out, and
// their answers from the tables, the accepted one first, then by falling score. Where
// db is nil there is the accepted answer alone, with its text where answers are
// embedded.
func Threads(ctx context.Context, out string, db *tables.DB, hits []Hit) error {
	m, err := manifest.Read(out)
	if err != nil {
		return err
	}
	shelf, err := openShelf(out, m)
	if err != nil {
		return err
	}
	cleaning := Cleaning{m.Options.Languages, m.Options.Links}
	for i := range hits {
		whole, err := shelf.parent(hits[i].PostID)
		if err != nil {
			return err
		}
		if whole != nil {
			hits[i].Text = whole.Text
		}
		if db != nil {
			err = hits[i].readAnswers(ctx, db, cleaning)
		} else {
			err = hits[i].findAccepted(shelf)
		}
		if err != nil {
			return fmt.Errorf("the answers to %d: %w", hits[i].PostID, err)
		}
	}
	return nil
}

// site is the base of the hit's IRI.
func (h *Hit) site() vocab.Site {
	site, _, _ := strings.Cut(h.IRI, "/questions/")
	return vocab.Site(site)
}

func (h *Hit) readAnswers(ctx context.Context, db *tables.DB, cleaning Cleaning) error {
	rows, err := db.Query(ctx, fmt.Sprintf("SELECT %s FROM Posts p WHERE p.ParentId = %d AND p.PostTypeId = %d ORDER BY p.Id = %d DESC, p.Score DESC, p.Id",
		questionColumns, h.PostID, schema.PostAnswer, h.AcceptedAnswerID))
	if err != nil {
		return err
	}
	var p post
	cleaner := cleaning.Cleaner()
	cleaner.Language = cleaning.codeLanguage(h.Tags)
	for rows.Scan() {
		p.read(rows.Record())
		a := Answer{
			PostID: p.id, IRI: h.site().Answer(p.id), Accepted: p.id == h.AcceptedAnswerID,
			Text: cleaner.Clean(string(p.body)), Author: string(p.ownerName), License: p.licence,
		}
		if p.owner != nil {
			a.Author = h.site().User(tables.Int(p.owner))
		}
		if n := number(p.score); n != nil {
			a.Votes = *n
		}
		h.Answers = append(h.Answers, a)
	}
	return errors.Join(rows.Err(), rows.Close())
}

func (h *Hit) findAccepted(s *shelf) error {
	if h.AcceptedAnswerID == 0 {
		return nil
	}
	a := Answer{PostID: h.AcceptedAnswerID, IRI: h.site().Answer(h.AcceptedAnswerID), Accepted: true}
	row, err := s.find(a.PostID, "")
	if err != nil {
		return err
	}
	if row != nil {
		whole, err := s.parent(a.PostID)
		if err != nil {
			return err
		}
		if whole != nil {
			a.Text = whole.Text
		}
		if a.Author, a.License = row.Author, row.License; a.Author == "" {
			a.Author = row.AuthorName
		}
		if row.Score != nil {
			a.Votes = *row.Score
		}
	}
	h.Answers = []Answer{a}
	return nil
}
