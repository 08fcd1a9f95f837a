package postscan

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"

	"s2g/schema/tables"
)

// SharedBytes is the memory of the rows that a [Shared] keeps, at most, but for a row
// that is larger by itself.
const SharedBytes = 64 << 20

// maxQueries limits the queries side by side: the server reads the pages of a query in one
// thread.
const maxQueries = 4

// Shared reads the posts of a database once for several stages. Its scan begins when all
// have called Begin or Close, at the first id that one of them needs.
//
// It keeps a row until no stage can need it. While the rows take all memory, nothing is
// read, so that a stage waits for one that is far behind. No stage waits for ever:
// the rows that are kept never depend on rows that are not read yet, because ranges are
// opened ascending and blocks are read in that order.
type Shared struct {
	db        *tables.DB
	selection Selection
	size      int64 // bytes of the rows

	end  context.CancelFunc
	done sync.WaitGroup

	mu      sync.Mutex
	changed sync.Cond // any of the fields below
	sources []*sharedSource
	blocks  []*block // that are cut and not passed, ascending
	free    []*piece // dropped, for rows that are not read yet
	bytes   int64    // of the blocks' pieces
	peak    int64    // of bytes
	ended   bool     // there are no more blocks
	err     error    // of the scan
}

// block is the posts of one query.
type block struct {
	lo, hi   int64
	pieces   []*piece // read and not passed
	complete bool
}

// Share returns a source for each of some stages, by what it selects. The rows of all have
// the columns that one of them selects. ctx ends the scan, and so does Close.
func Share(ctx context.Context, db *tables.DB, stages ...Selection) (*Shared, []Source) {
	return share(ctx, db, SharedBytes, stages...)
}

func share(ctx context.Context, db *tables.DB, size int64, stages ...Selection) (*Shared, []Source) {
	ctx, end := context.WithCancel(ctx)
	s := &Shared{db: db, size: size, end: end}
	s.changed.L = &s.mu
	var list []Source
	for _, selection := range stages {
		s.selection.Questions = s.selection.Questions || selection.Questions
		source := &sharedSource{Shared: s, selection: selection, next: math.MaxInt64}
		s.sources = append(s.sources, source)
		list = append(list, source)
	}
	s.done.Go(func() { s.scan(ctx) })
	return s, list
}

// Peak returns the largest number of bytes of the rows that it has kept.
func (s *Shared) Peak() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

// Close ends the scan.
func (s *Shared) Close() {
	s.end()
	s.done.Wait()
}

// scan reads all blocks.
func (s *Shared) scan(ctx context.Context) {
	defer context.AfterFunc(ctx, s.wake)()
	first, err := s.awaitBegin(ctx)
	if err == nil {
		err = s.readBlocks(ctx, first)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	s.changed.Broadcast()
}

// wake wakes waiting goroutines, which check their contexts.
func (s *Shared) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}

// awaitBegin waits until all stages have begun, and returns the first id to read.
func (s *Shared) awaitBegin(ctx context.Context) (first int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for slices.ContainsFunc(s.sources, func(source *sharedSource) bool { return !source.begun && !source.closed }) {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		s.changed.Wait()
	}
	return s.low(), ctx.Err()
}

// readBlocks cuts the posts into blocks and reads them, some side by side.
func (s *Shared) readBlocks(ctx context.Context, first int64) (err error) {
	var loading sync.WaitGroup
	defer loading.Wait()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, s.wake)()
	free := make(chan struct{}, min(runtime.GOMAXPROCS(0), maxQueries))
	for lo, err := range Blocks(ctx, s.db, first) {
		if err != nil {
			return errors.Join(context.Cause(ctx), err)
		}
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		b := &block{lo: lo, hi: lo + (BlockIDs - 1)}
		s.mu.Lock()
		s.blocks = append(s.blocks, b)
		s.changed.Broadcast()
		needed := slices.ContainsFunc(s.sources, func(source *sharedSource) bool { return !source.closed })
		s.mu.Unlock()
		if !needed {
			return nil
		}
		loading.Go(func() {
			defer func() { <-free }()
			if err := s.load(ctx, b); err != nil {
				cancel(err)
			}
		})
	}
	s.mu.Lock()
	s.ended, s.free = true, nil
	s.changed.Broadcast()
	s.mu.Unlock()
	loading.Wait()
	return context.Cause(ctx)
}

// load reads a block.
func (s *Shared) load(ctx context.Context, b *block) error {
	if err := s.awaitRoom(ctx, b); err != nil {
		return err
	}
	p := s.newPiece()
	err := s.selection.Each(ctx, s.db, between(b.lo, b.hi), func(row [][]byte) error {
		if !p.fits(row) {
			s.keep(b, p)
			p = s.newPiece()
			if err := s.awaitRoom(ctx, b); err != nil {
				return err
			}
		}
		p.add(row)
		return nil
	})
	if err != nil {
		return err
	}
	s.keep(b, p)
	s.mu.Lock()
	defer s.mu.Unlock()
	b.complete = true
	s.drop()
	return nil
}

// awaitRoom waits until a piece of a block may be read. A quarter of the memory is that of
// the first block that is not complete. If no rows are kept before its next piece, all
// stages may be waiting for that, so it may exceed the memory.
func (s *Shared) awaitRoom(ctx context.Context, b *block) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if s.hasRoom(b) || ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.changed.Wait()
	}
}

func (s *Shared) hasRoom(b *block) bool {
	kept := 0 // pieces before the next one
	for _, before := range s.blocks {
		kept += len(before.pieces)
		if before == b {
			return s.bytes < s.size || kept == 0
		}
		if !before.complete {
			return s.bytes < s.size/4*3
		}
	}
	return true // no stage needs b any more
}

// newPiece returns an empty piece, if possible in the memory of one that was dropped.
func (s *Shared) newPiece() *piece {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.free) - 1
	if last < 0 {
		return newPiece()
	}
	p := s.free[last]
	s.free = s.free[:last]
	return p
}

// release makes the memory of a piece free for another one. The caller holds mu.
func (s *Shared) release(p *piece) {
	if !s.ended && p.reset() {
		s.free = append(s.free, p)
	}
}

// keep adds a piece to a block.
func (s *Shared) keep(b *block, p *piece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(p.ids) == 0 {
		s.release(p)
		return
	}
	b.pieces = append(b.pieces, p)
	s.bytes += p.bytes()
	s.peak = max(s.peak, s.bytes)
	s.drop()
}

// drop releases the rows that no stage can need. The caller holds mu.
func (s *Shared) drop() {
	low := s.low()
	for len(s.blocks) > 0 {
		b := s.blocks[0]
		for len(b.pieces) > 0 && b.pieces[0].last() < low {
			s.bytes -= b.pieces[0].bytes()
			s.release(b.pieces[0])
			b.pieces[0], b.pieces = nil, b.pieces[1:]
		}
		if len(b.pieces) > 0 || !b.complete || b.hi >= low {
			break
		}
		s.blocks = s.blocks[1:]
	}
	s.changed.Broadcast()
}

// low returns the least id that a stage can need. The caller holds mu.
func (s *Shared) low() int64 {
	low := int64(math.MaxInt64)
	for _, source := range s.sources {
		low = min(low, source.low())
	}
	return low
}
