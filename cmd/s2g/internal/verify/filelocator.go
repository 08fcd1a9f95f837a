package verify

import (
	"context"
	"sort"
	"sync"
)

// fileLocator finds the files of a post among files in the order of posts. It reads
// only files that can hold a requested post, each once. It is safe for concurrent use.
type fileLocator struct {
	files []file
	found []fileRange
	// peek returns some post of a file, without reading all of it; 0 where the file
	// has none or is damaged.
	peek func(file) int64
	// read reads the whole file and fills in r.
	read func(f file, r *fileRange)
}

// fileRange is what fileLocator has read of a file.
type fileRange struct {
	peekOnce    sync.Once
	somePost    int64
	readOnce    sync.Once
	first, last int64 // posts; first is above last where the file has none
	rows        int64 // quads or points
	difference  string
	err         error
}

func newFileLocator(files []file, peek func(file) int64, read func(file, *fileRange)) *fileLocator {
	return &fileLocator{files, make([]fileRange, len(files)), peek, read}
}

// at returns the range of a file, which it reads unless it has been read.
func (l *fileLocator) at(i int) *fileRange {
	r := &l.found[i]
	r.readOnce.Do(func() {
		r.first, r.last = 1, 0
		l.read(l.files[i], r)
	})
	return r
}

// locate reads the files that hold a post, and returns the position of one of them. It
// returns false where no file holds the post.
func (l *fileLocator) locate(ctx context.Context, post int64) (int, bool, error) {
	if err := ctx.Err(); err != nil {
		return 0, false, err
	}
	// after is the first file with a later post. Files without posts, those of tags, are last.
	after := sort.Search(len(l.files), func(i int) bool {
		r := &l.found[i]
		r.peekOnce.Do(func() { r.somePost = l.peek(l.files[i]) })
		return r.somePost == 0 || r.somePost > post
	})
	// The peeked post may be any of its file, so the file before or after itself holds post.
	for at := max(after-1, 0); at <= after && at < len(l.files); at++ {
		r := l.at(at)
		if r.err != nil {
			return 0, false, r.err
		}
		if post < r.first || post > r.last {
			continue
		}
		// A post at the end of a file continues in the next one, which may be a file
		// without posts.
		for i := at; i > 0 && l.at(i).first == post; i-- {
			l.at(i - 1)
		}
		for i := at; i+1 < len(l.files) && (l.at(i).last == post || i > at && l.at(i).first > l.at(i).last); i++ {
			l.at(i + 1)
		}
		return at, true, nil
	}
	return 0, false, nil
}

// report adds the differences of the files that were read to a check, or returns the
// first error.
func (l *fileLocator) report(c *Check) error {
	for i := range l.found {
		r := &l.found[i]
		if r.err != nil {
			return r.err
		}
		if r.difference != "" {
			c.differ("%s", r.difference)
		}
	}
	return nil
}
