package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"s2g/schema/manifest"
	"s2g/vectors/shard"
)

// shardScan holds the columns of points that a search ranks by, in the order of point ids.
type shardScan struct {
	points    []uint64
	questions []int64     // of points; empty where all posts are questions
	cosines   []float32   // of points; empty where the query has no dense vector
	postings  [][]Posting // for each term of the query's sparse vector, in the order of points
	kept      []bool      // points whose question passes the filter; empty: all do
	rows      []rowRange  // in the order of points
}

// rowRange is a run of points that are adjacent rows of a shard.
type rowRange struct {
	first int // position of its first point
	file  int
	row   int64 // of the first point
}

// shardFile is a shard of a language.
type shardFile struct{ slug, path string }

// shardFinder searches the shards of languages.
func shardFinder(catalog *shard.Catalog, slugs []string, hasAnswers bool) (Finder, error) {
	parts := map[string][]shardFile{} // by the name of the file, which is the same in all languages
	for _, slug := range slugs {
		paths, err := catalog.Shards(slug)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			name := filepath.Base(path)
			parts[name] = append(parts[name], shardFile{slug, path})
		}
	}
	var files []shardFile // those of a part are adjacent
	for _, name := range slices.SortedFunc(maps.Keys(parts), manifest.ByNumber) {
		files = append(files, parts[name]...)
	}
	return func(ctx context.Context, q *Query, n int, f Filter) ([]Found, error) {
		scan, err := scanShards(ctx, files, q, f, hasAnswers)
		if err != nil {
			return nil, err
		}
		best, err := scan.find(ctx, files, q, n, f.HasCode)
		if err != nil {
			return nil, err
		}
		found := make([]Found, len(best))
		for i, r := range best {
			file, row := scan.locate(r.At)
			match, err := shard.ReadRow(files[file].path, row)
			if err != nil {
				return nil, err
			}
			question := match
			if match.PostID != r.Question {
				if question, err = catalog.FindPost(r.Question, files[file].slug); err != nil {
					return nil, err
				}
				if question == nil {
					return nil, fmt.Errorf("the shards have the answer %d and not its question %d", match.PostID, r.Question)
				}
			}
			found[i] = Found{question, match, r.Score, r.strength}
		}
		return found, nil
	}, nil
}

// scanShards scans shards side by side, and joins the results in their order. Files of the
// same name, of several languages, are adjacent; a post that several of them have is that of
// the first.
func scanShards(ctx context.Context, files []shardFile, q *Query, f Filter, hasAnswers bool) (*shardScan, error) {
	scans, questions := make([]*shardScan, len(files)), make([][]int64, len(files))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, file := range files {
		group.Go(func() (err error) {
			if scans[i], err = scanShard(within, file.path, q, hasAnswers); err != nil || !f.byColumns() {
				return err
			}
			if scans[i].kept, questions[i], err = f.keptRows(file.path); err == nil && len(scans[i].kept) != len(scans[i].points) {
				err = fmt.Errorf("reading %s: its columns differ in length", file.path)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := &shardScan{postings: make([][]Posting, len(q.Sparse.Indices))}
	for i := 0; i < len(files); {
		last := i + 1
		for last < len(files) && filepath.Base(files[last].path) == filepath.Base(files[i].path) {
			last++
		}
		all.appendPart(scans[i:last], i)
		clear(scans[i:last]) // frees the memory
		i = last
	}
	if f.byColumns() && hasAnswers {
		all.keepAnswers(slices.Concat(questions...))
	}
	return all, nil
}

// scanShard scans the columns of a shard other than those of a filter.
func scanShard(ctx context.Context, name string, q *Query, hasAnswers bool) (*shardScan, error) {
	file, err := shard.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s := &shardScan{postings: make([][]Posting, len(q.Sparse.Indices))}
	for _, g := range file.RowGroups() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.scanGroup(g, q, hasAnswers); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// appendPart appends the points of scans of one range of posts, whose first file has the
// number first. It takes a point that several scans have from the first of them.
func (s *shardScan) appendPart(scans []*shardScan, first int) {
	if len(scans) == 1 {
		s.appendScan(scans[0], first)
		return
	}
	type source struct{ scan, at int }
	positions := make([][]int32, len(scans)) // of each scan's points in s; -1: taken from another scan
	heads := make([]int, len(scans))
	for i, scan := range scans {
		positions[i] = make([]int32, len(scan.points))
	}
	previous := source{-1, 0}
	for {
		next := source{-1, 0}
		for i, at := range heads { // the lowest point, of equal ones that of the first scan
			if at < len(scans[i].points) && (next.scan < 0 || scans[i].points[at] < scans[next.scan].points[next.at]) {
				next = source{i, at}
			}
		}
		if next.scan < 0 {
			break
		}
		from, to := scans[next.scan], int32(len(s.points))
		point := from.points[next.at]
		for i, at := range heads {
			if at < len(scans[i].points) && scans[i].points[at] == point {
				positions[i][at] = -1
				heads[i]++
			}
		}
		positions[next.scan][next.at] = to
		if next.scan != previous.scan || next.at != previous.at+1 {
			s.rows = append(s.rows, rowRange{int(to), first + next.scan, int64(next.at)})
		}
		s.points = append(s.points, point)
		if len(from.questions) > 0 {
			s.questions = append(s.questions, from.questions[next.at])
		}
		if len(from.cosines) > 0 {
			s.cosines = append(s.cosines, from.cosines[next.at])
		}
		if len(from.kept) > 0 {
			s.kept = append(s.kept, from.kept[next.at])
		}
		previous = next
	}
	for t := range s.postings {
		before := len(s.postings[t])
		for i, scan := range scans {
			for _, posting := range scan.postings[t] {
				if posting.Point = positions[i][posting.Point]; posting.Point >= 0 {
					s.postings[t] = append(s.postings[t], posting)
				}
			}
		}
		slices.SortFunc(s.postings[t][before:], func(a, b Posting) int { return cmp.Compare(a.Point, b.Point) })
	}
}

// appendScan appends all points of a scan of the file with a number.
func (s *shardScan) appendScan(scan *shardScan, file int) {
	before := len(s.points)
	if len(scan.points) > 0 {
		s.rows = append(s.rows, rowRange{before, file, 0})
	}
	s.points = append(s.points, scan.points...)
	s.questions = append(s.questions, scan.questions...)
	s.cosines = append(s.cosines, scan.cosines...)
	s.kept = append(s.kept, scan.kept...)
	for t, list := range scan.postings {
		for _, posting := range list {
			posting.Point += int32(before)
			s.postings[t] = append(s.postings[t], posting)
		}
	}
}

// keepAnswers keeps the points of answers to the questions that a filter keeps.
func (s *shardScan) keepAnswers(questions []int64) {
	slices.Sort(questions)
	for i, question := range s.questions {
		_, s.kept[i] = slices.BinarySearch(questions, question)
	}
}

// scanGroup scans the rows of a row group, a column after the other.
func (s *shardScan) scanGroup(g shard.RowGroup, q *Query, hasAnswers bool) error {
	first := len(s.points)
	err := shard.ScanColumn(g, "point_id", func(p shard.Page[uint64]) error {
		s.points = append(s.points, p.Values...)
		return nil
	})
	if err != nil {
		return err
	}
	if hasAnswers {
		err := shard.ScanColumn(g, "question_id", func(p shard.Page[int64]) error {
			s.questions = append(s.questions, p.Values...)
			return nil
		})
		if err == nil && len(s.questions) != len(s.points) {
			err = fmt.Errorf("%d question ids for %d points", len(s.questions), len(s.points))
		}
		if err != nil {
			return err
		}
	}
	if q.Dense != nil {
		s.cosines = append(s.cosines, make([]float32, len(s.points)-first)...)
		if err := addCosines(g, q.Dense, s.cosines[first:]); err != nil {
			return err
		}
	}
	return s.addPostings(g, q, first)
}

// addCosines adds to cosines, a number for each row of a row group, the products of the
// dense vectors with the query's. All vectors have unit length.
func addCosines(g shard.RowGroup, query, cosines []float32) error {
	row, at := -1, len(query)
	err := shard.ScanColumn(g, "dense", func(p shard.Page[float32]) error {
		if len(p.Values) != len(p.Repeated) {
			return errors.New("a vector is empty")
		}
		for i, x := range p.Values {
			if p.Repeated[i] == 0 {
				if row++; at != len(query) || row == len(cosines) {
					return fmt.Errorf("row %d: a vector of %d dimensions, that of the query has %d", row, at, len(query))
				}
				at = 0
			}
			if at == len(query) {
				return fmt.Errorf("row %d: a vector of over %d dimensions", row, at)
			}
			cosines[row] += x * query[at]
			at++
		}
		return nil
	})
	if err == nil && (row+1 != len(cosines) || at != len(query)) {
		return fmt.Errorf("%d dense vectors for %d points", row+1, len(cosines))
	}
	return err
}

// addPostings finds the terms of the query in the sparse vectors of a row group, whose
// points begin at position first.
func (s *shardScan) addPostings(g shard.RowGroup, q *Query, first int) error {
	terms := map[uint32]int{}
	for t, index := range q.Sparse.Indices {
		terms[index] = t
	}
	type match struct{ term, point, value int }
	var matches []match // by ascending value: the position of the weight in its column
	row, value := first-1, 0
	err := shard.ScanColumn(g, "sparse_indices", func(p shard.Page[uint32]) error {
		next := 0
		for i, r := range p.Repeated {
			if r == 0 {
				if row++; row == len(s.points) {
					return errors.New("more vectors than points")
				}
			}
			if p.Defined[i] == 0 {
				continue
			}
			if next == len(p.Values) {
				return errors.New("fewer indices than levels")
			}
			if t, ok := terms[p.Values[next]]; ok {
				matches = append(matches, match{t, row, value})
			}
			next++
			value++
		}
		return nil
	})
	if err != nil {
		return err
	}
	before, next := 0, 0
	err = shard.ScanColumn(g, "sparse_values", func(p shard.Page[float32]) error {
		for ; next < len(matches) && matches[next].value < before+len(p.Values); next++ {
			m := matches[next]
			s.postings[m.term] = append(s.postings[m.term], Posting{int32(m.point), p.Values[m.value-before]})
		}
		before += len(p.Values)
		return nil
	})
	if err == nil && next < len(matches) {
		return errors.New("fewer sparse values than indices")
	}
	return err
}

// mostOpen is the number of shards that a search for code keeps open.
const mostOpen = 64

// match is a ranked question with the strength of its match.
type match struct {
	Ranked
	strength float64
}

// find returns the n best questions; At is the position of the best point of the post that
// matched. With onlyCode that post has a block of code; then find examines mostChecked
// questions at most.
func (s *shardScan) find(ctx context.Context, files []shardFile, q *Query, n int, onlyCode bool) (found []match, err error) {
	var scores Scores
	scores.Compute(q, len(s.points), s.postings, s.cosines)
	q.SetTermWeights(scores.Terms)
	matches := func(r Ranked) match {
		from, to := r.At, s.postEnd(r.At)
		r.At = s.bestPoint(from, to, &scores, q.Weight)
		return match{r, scores.Strength(q, s.postings, s.cosines, from, to)}
	}
	if !onlyCode {
		for _, r := range s.rank(q, &scores, n) {
			found = append(found, matches(r))
		}
		return found, nil
	}
	texts := textReader{files: files}
	defer func() { err = errors.Join(err, texts.Close()) }()
	checked := 0
	for fetched := acceptedFactor * n; ; fetched *= acceptedFactor {
		best := s.rank(q, &scores, min(fetched, mostChecked))
		for _, r := range best[checked:] {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			has, err := s.hasCode(&texts, r.At)
			if err != nil {
				return nil, err
			}
			if has {
				found = append(found, matches(r))
			}
			if len(found) == n {
				return found, nil
			}
		}
		if checked = len(best); checked < fetched {
			return found, nil
		}
	}
}

// rank returns the n best questions that the filter keeps; At is the position of the first
// point of the post that matched. Where the query has no dense vector, rank leaves out posts
// without any of its terms.
func (s *shardScan) rank(q *Query, scores *Scores, n int) []Ranked {
	matched := make([]bool, len(s.points))
	for _, list := range s.postings {
		for _, p := range list {
			matched[p.Point] = true
		}
	}
	return Top(n, func(yield func(Ranked) bool) {
		for from, to := range s.posts() {
			if len(s.kept) > 0 && !s.kept[from] || len(s.cosines) == 0 && !slices.Contains(matched[from:to], true) {
				continue
			}
			question := shard.PostOf(s.points[from])
			if s.questions != nil {
				question = s.questions[from]
			}
			if !yield(Ranked{question, s.points[from], from, scores.Best(from, to).Fuse(q.Weight)}) {
				return
			}
		}
	})
}

// hasCode reports whether a chunk of the post that begins at a position has a block of code.
func (s *shardScan) hasCode(texts *textReader, from int) (bool, error) {
	r, err := texts.open(s.locate(from))
	if err != nil {
		return false, err
	}
	for at := from; at < s.postEnd(from) && r.Scan(); at++ {
		if HasCodeBlock(r.Point().Text) {
			return true, nil
		}
	}
	return false, r.Err()
}

// bestPoint returns the point with the highest fused score from position from to to-1.
func (s *shardScan) bestPoint(from, to int, scores *Scores, weight float64) int {
	best, highest := from, math.Inf(-1)
	for at := from; at < to; at++ {
		if score := scores.Best(at, at+1).Fuse(weight); score > highest {
			best, highest = at, score
		}
	}
	return best
}

// postEnd returns the position after the last point of the post that begins at from. The
// points of a post are adjacent, because a post is in one part.
func (s *shardScan) postEnd(from int) int {
	to := from + 1
	for to < len(s.points) && shard.PostOf(s.points[to]) == shard.PostOf(s.points[from]) {
		to++
	}
	return to
}

// posts yields the positions of each post's first point and of the point after its last.
func (s *shardScan) posts() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for from, to := 0, 0; from < len(s.points); from = to {
			if to = s.postEnd(from); !yield(from, to) {
				return
			}
		}
	}
}

// locate returns the shard of the point at a position, and its row in the shard.
func (s *shardScan) locate(at int) (file int, row int64) {
	i, exact := slices.BinarySearchFunc(s.rows, at, func(r rowRange, at int) int { return cmp.Compare(r.first, at) })
	if !exact {
		i--
	}
	r := s.rows[i]
	return r.file, r.row + int64(at-r.first)
}
