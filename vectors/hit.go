package vectors

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
)

// snippetRunes is how much of a chunk a hit shows.
const snippetRunes = 240

// payload are the columns of a shard that a hit shows.
type payload struct {
	PostID           int64    `parquet:"post_id"`
	QuestionID       int64    `parquet:"question_id"`
	IRI              string   `parquet:"iri"`
	Type             string   `parquet:"type"`
	Title            string   `parquet:"title"`
	Text             string   `parquet:"text"`
	Tags             []string `parquet:"tags,list"`
	Score            *int32   `parquet:"score,optional"`
	AcceptedAnswerID int64    `parquet:"accepted_answer_id,optional"`
	DuplicateOf      []int64  `parquet:"duplicate_of,list"`
	LinkedTo         []int64  `parquet:"linked_to,list"`
}

// readHits reads the payloads of the posts that were found.
func readHits(out string, names []string, s *scan, best []ranked) ([]Hit, error) {
	hits := make([]Hit, 0, len(best))
	for _, r := range best {
		shard, row := 0, r.at
		for row >= s.rows[shard] {
			row -= s.rows[shard]
			shard++
		}
		p, err := readPayload(filepath.Join(out, filepath.FromSlash(names[shard])), int64(row))
		if err != nil {
			return nil, fmt.Errorf("reading row %d of %s: %w", row, names[shard], err)
		}
		hit := Hit{
			PostID: p.PostID, QuestionID: p.QuestionID, IRI: p.IRI, Type: p.Type, Score: r.score, Title: p.Title,
			Snippet: snippet(strings.TrimPrefix(p.Text, p.Title)), Tags: p.Tags,
			AcceptedAnswerID: p.AcceptedAnswerID, DuplicateOf: p.DuplicateOf, LinkedTo: p.LinkedTo,
		}
		if p.Score != nil {
			hit.Votes = *p.Score
		}
		hits = append(hits, hit)
	}
	return hits, nil
}

func readPayload(file string, row int64) (payload, error) {
	rows := make([]payload, 1)
	f, shard, err := openShard(file)
	if err != nil {
		return rows[0], err
	}
	defer f.Close()
	r := parquet.NewGenericReader[payload](shard)
	defer r.Close()
	if err := r.SeekToRow(row); err != nil {
		return rows[0], err
	}
	if n, err := r.Read(rows); n == 0 {
		return rows[0], err
	}
	return rows[0], nil
}

// snippet is the beginning of a text, on one line, cut between words.
func snippet(text string) string {
	line := strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(line) <= snippetRunes {
		return line
	}
	short := string([]rune(line)[:snippetRunes])
	if space := strings.LastIndexFunc(short, unicode.IsSpace); space > len(short)/2 {
		short = short[:space]
	}
	return short + " …"
}
