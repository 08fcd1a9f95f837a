package verify

import "sync"

// progress tells how many bytes of files were read, one call at a time.
type progress struct {
	tell        func(what string, done, total int64)
	mu          sync.Mutex
	done, total int64
}

func newProgress(tell func(string, int64, int64), files []file) *progress {
	p := &progress{tell: tell}
	for _, f := range files {
		p.total += f.size
	}
	return p
}

func (p *progress) add(n int64) {
	if p.tell == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.tell("files", p.done, p.total)
}
