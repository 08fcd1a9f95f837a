package verify

import (
	"cmp"
	"container/heap"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/embed"
)

// densePosts is the number of posts whose dense vectors are made again unless option full requests all.
const densePosts = 20_000

// fittedPosts is the number of posts that the builtin embedder is fitted on, at most.
const fittedPosts = 20_000

// fitSample is the posts that the builtin embedder is fitted on, with the texts of their first chunks.
type fitSample struct {
	posts []int64 // ascending
	texts []string
}

// put stores the text of a post of the sample. Callers put different posts side by side.
func (s *fitSample) put(post int64, text string) {
	if i, ok := slices.BinarySearch(s.posts, post); ok {
		s.texts[i] = text
	}
}

// leastHashes keeps the ids of the smallest hashes. It is a heap whose first element is the greatest.
type leastHashes []hashedPost

type hashedPost struct {
	hash uint64
	id   int64
}

func (h hashedPost) compare(g hashedPost) int {
	return cmp.Or(cmp.Compare(h.hash, g.hash), cmp.Compare(h.id, g.id))
}

func (l leastHashes) Len() int           { return len(l) }
func (l leastHashes) Less(i, j int) bool { return l[i].compare(l[j]) > 0 }
func (l leastHashes) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *leastHashes) Push(x any)        { *l = append(*l, x.(hashedPost)) }
func (l *leastHashes) Pop() any          { return nil } // never called: the first is replaced in place

func (l *leastHashes) offer(id int64, hash uint64, size int) {
	p := hashedPost{hash, id}
	switch {
	case len(*l) < size:
		heap.Push(l, p)
	case p.compare((*l)[0]) < 0:
		(*l)[0] = p
		heap.Fix(l, 0)
	}
}

// openRemaker opens the model, and draws the posts whose dense vectors are made again and those that the model
// was fitted on, from the ids of all parents.
func (v *verifier) openRemaker(ctx context.Context, o Options) (err error) {
	if v.remaker, err = v.newRemaker(); err != nil || v.remaker.dense == nil {
		return err
	}
	var fit, dense leastHashes
	count := 0
	for _, f := range v.filesOf(parentFile) {
		_, err := v.readRows(ctx, f, func(r *rowReader) func() string { // readParents reports differences
			id := r.int64s("post_id")
			return func() string {
				post := id.integer()
				count++
				fit.offer(post, schema.Mix64(uint64(post)), fittedPosts)
				dense.offer(post, schema.Mix64(uint64(post)^schema.Mix64(o.Seed)), densePosts)
				return ""
			}
		})
		if err != nil {
			return err
		}
	}
	for _, p := range fit {
		v.fitted.posts = append(v.fitted.posts, p.id)
	}
	slices.Sort(v.fitted.posts)
	v.fitted.texts = make([]string, len(v.fitted.posts))
	if o.Full || count <= densePosts {
		return nil
	}
	v.remaker.densePosts = map[int64]bool{}
	for _, p := range dense {
		v.remaker.densePosts[p.id] = true
	}
	return nil
}

// isReused reports whether the build has the model of another one. The key of its stage tells so.
func (v *verifier) isReused() bool {
	return strings.Contains(v.manifest.Stages[manifest.Vectors].Key, "-")
}

// checkModel fits the builtin embedder again and compares it with the model of the build.
func (v *verifier) checkModel(ctx context.Context) error {
	c := &v.model
	switch {
	case v.remaker == nil || v.remaker.dense == nil || !c.OK:
		return nil
	case v.remaker.tolerance > 0:
		c.What = fmt.Sprintf("posts on which the dense embedder was fitted again: it is of another architecture, and dense vectors are equal within %.0e", v.remaker.tolerance)
		return nil
	case v.isReused():
		c.What = "posts on which the dense embedder was fitted again: it is that of the build of option reuse"
		return nil
	}
	v.progress.begin("fitting the model")
	again, err := embed.FitLSA(ctx, v.remaker.dense.Language(), slices.Values(v.fitted.texts), 0)
	if err != nil {
		return fmt.Errorf("fitting the dense embedder again: %w", err)
	}
	h := sha256.New()
	if err := again.Write(h); err != nil {
		return err
	}
	c.Count = int64(len(v.fitted.texts))
	at := slices.IndexFunc(v.files, func(f file) bool { return f.name == v.modelName() })
	sum, err := v.hashFile(v.files[at])
	if err != nil {
		return err
	}
	if fitted := hex.EncodeToString(h.Sum(nil)); fitted != sum {
		c.differ("%s has the SHA-256 %s, the texts make a model of %s", v.modelName(), sum, fitted)
	}
	return nil
}
