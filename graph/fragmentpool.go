package graph

import (
	"context"
	"sync"

	"s2g/graph/trig"
)

const (
	fragmentSize     = 512 << 10 // bytes of text after which a worker passes a fragment on
	fragmentCapacity = 576 << 10 // initial allocation, with room for a last post beyond fragmentSize
	maxReused        = 2 << 20   // a larger fragment, grown by a huge post, is not reused

	// poolSize limits the bytes of all fragments. The last quarter is reserved for the
	// unit that is assembled next.
	poolSize = 40 << 20
)

// fragmentPool lends fragments and takes them back. It limits the memory of all workers
// and writers together: a worker waits until there is room. The worker of the unit that
// is assembled next waits only while files are being written, since each finished file
// frees room. Without a file in progress it exceeds the limit, because nothing else
// could free room.
type fragmentPool struct {
	size int // bytes

	mu      sync.Mutex
	free    []*trig.Fragment
	lent    map[*trig.Fragment]loan
	bytes   int           // of the lent fragments
	next    *unit         // assembled next
	writing int           // batches handed to the writer and not yet written
	changed chan struct{} // closed when waiting workers must check for room again
}

// loan is the state of a lent fragment.
type loan struct {
	holders int // a worker or the assembler, and each batch that refers to it
	bytes   int // as last counted in fragmentPool.bytes
}

func newFragmentPool(size int) *fragmentPool {
	return &fragmentPool{size: size, lent: map[*trig.Fragment]loan{}, changed: make(chan struct{})}
}

// take lends an empty fragment for a unit as soon as there is room. The caller is its
// one holder.
func (p *fragmentPool) take(ctx context.Context, u *unit) (*trig.Fragment, error) {
	for {
		p.mu.Lock()
		if p.hasRoom(u) {
			f := p.reuseOrNew()
			p.lent[f] = loan{holders: 1, bytes: f.Cap()}
			p.bytes += f.Cap()
			p.mu.Unlock()
			return f, nil
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (p *fragmentPool) hasRoom(u *unit) bool {
	if u == p.next {
		return p.bytes < p.size || p.writing == 0
	}
	return p.bytes < p.size/4*3
}

func (p *fragmentPool) reuseOrNew() *trig.Fragment {
	if n := len(p.free); n > 0 {
		f := p.free[n-1]
		p.free = p.free[:n-1]
		return f
	}
	f := new(trig.Fragment)
	f.Grow(fragmentCapacity)
	return f
}

// recount counts the bytes by which a fragment has grown.
func (p *fragmentPool) recount(f *trig.Fragment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lent[f]
	p.bytes += f.Cap() - l.bytes
	l.bytes = f.Cap()
	p.lent[f] = l
}

// hold adds a holder to a fragment.
func (p *fragmentPool) hold(f *trig.Fragment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lent[f]
	l.holders++
	p.lent[f] = l
}

// release removes a holder from each fragment. A fragment without holders returns to
// the pool.
func (p *fragmentPool) release(fragments ...*trig.Fragment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range fragments {
		l := p.lent[f]
		if l.holders--; l.holders > 0 {
			p.lent[f] = l
			continue
		}
		delete(p.lent, f)
		p.bytes -= l.bytes
		if l.bytes <= maxReused {
			f.Reset()
			p.free = append(p.free, f)
		}
	}
	p.wake()
}

// setNext names the unit that is assembled next.
func (p *fragmentPool) setNext(u *unit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = u
	p.wake()
}

// addWriting changes the number of batches that are being written.
func (p *fragmentPool) addWriting(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writing += n
	p.wake()
}

func (p *fragmentPool) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}
