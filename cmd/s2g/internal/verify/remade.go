package verify

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"runtime"

	"s2g/schema/manifest"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
	"s2g/vectors/text"
)

// The windows of a build whose manifest names none.
const (
	defaultWindow  = 512
	defaultOverlap = 64
)

// otherArchitecture is how far a component of a dense vector may be from that which a processor of another
// architecture makes: it rounds sums otherwise.
const otherArchitecture = 1e-5

// remaker makes the chunks of posts and their vectors again: chunks from the whole text, vectors
// from the text of a chunk. Its methods are safe for concurrent use.
type remaker struct {
	window, overlap int
	byEndpoint      bool           // windows count the tokens of an endpoint: chunks are only compared with the whole text
	sparse          *embed.BM25    // nil: an endpoint makes the sparse vectors
	dense           *embed.LSA     // nil: an endpoint makes the dense vectors, or the model cannot be read
	tolerance       float32        // of a component of a dense vector; 0: all bits are equal
	densePosts      map[int64]bool // posts whose dense vectors are made again; nil: all
	posts           map[int64]bool // posts of the sample; nil: all
	asked           *askedTexts    // texts for the endpoints; nil: none
}

// newRemaker reads the options and the model of the build. A model that cannot be read is a difference of v.model.
func (v *verifier) newRemaker() (*remaker, error) {
	o, made := v.manifest.Options, v.manifest.Stages[manifest.Vectors].Embedders
	r := &remaker{window: o.Window, overlap: o.Overlap}
	if r.window == 0 {
		r.window, r.overlap = defaultWindow, defaultOverlap
	}
	if made != nil {
		if made.Architecture != "" && made.Architecture != runtime.GOARCH {
			r.tolerance = otherArchitecture
		}
		r.byEndpoint = made.Windows == "endpoint" && !v.isBuiltin()
	}
	if o.Sparse == "" || o.Sparse == embed.KindBM25 {
		r.sparse = embed.NewBM25()
		if made != nil {
			if b, ok := embed.OpenBM25Model(made.Sparse); ok {
				r.sparse = b
			}
		}
	}
	if !v.isBuiltin() || len(v.filesOf(parentFile)) == 0 { // without posts there is no model
		return r, nil
	}
	model, err := embed.ReadLSAFile(filepath.Join(v.out, filepath.FromSlash(v.modelName())))
	var disk *fs.PathError
	switch {
	case err == nil:
		r.dense = model
	case errors.As(err, &disk) && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	default:
		v.model.differ("%s: %v", v.modelName(), err)
	}
	return r, nil
}

// isBuiltin reports whether the builtin embedder makes the dense vectors.
func (v *verifier) isBuiltin() bool {
	return v.manifest.Options.Dense == "" || v.manifest.Options.Dense == embed.KindBuiltin
}

// modelName returns the name of the fitted model.
func (v *verifier) modelName() string {
	for _, f := range v.files {
		if shard.IsModel(f.name) {
			return f.name
		}
	}
	return shard.ModelName
}

// selects reports whether the remaker makes a post again.
func (r *remaker) selects(post int64) bool { return r.posts == nil || r.posts[post] }

// remadeChunk is a chunk that was made again.
type remadeChunk struct {
	start, end int
	sum        [sha256.Size]byte // of its text
}

// remakeChunks makes the chunks of a post again from its title and its whole text. It returns nil where the
// windows count the tokens of an endpoint, or the post is not of the sample.
func (v *verifier) remakeChunks(post int64, title, whole []byte) []remadeChunk {
	r := v.remaker
	if r == nil || r.byEndpoint || !r.selects(post) {
		return nil
	}
	made := text.Chunks(string(title), string(whole), r.window, r.overlap)
	v.fitted.put(post, made[0].Text)
	chunks := make([]remadeChunk, len(made))
	for i, c := range made {
		chunks[i] = remadeChunk{c.Start, c.End, sha256.Sum256([]byte(c.Text))}
	}
	return chunks
}

// compareVectors makes the vectors of a text again and compares them with those of a point.
func (r *remaker) compareVectors(post int64, text string, dense []float32, indices []uint32, weights []float32) (difference string) {
	if !r.selects(post) {
		return ""
	}
	if r.asked != nil {
		r.asked.add(post, text, dense, indices, weights)
	}
	lsa := r.dense
	if r.densePosts != nil && !r.densePosts[post] {
		lsa = nil
	}
	var sparse []embed.SparseVector
	var again [][]float32
	ctx := context.Background() // the only error of the builtin embedders is that of a context
	switch texts := []string{text}; {
	case lsa != nil && r.sparse != nil:
		again, sparse, _ = embed.Documents(ctx, lsa, r.sparse, texts)
	case lsa != nil:
		again, _ = lsa.Documents(ctx, texts)
	case r.sparse != nil:
		sparse, _ = r.sparse.Documents(ctx, texts)
	}
	if sparse != nil {
		difference = compareSparse(indices, weights, sparse[0])
	}
	if again != nil && difference == "" {
		difference = compareDense(dense, again[0], r.tolerance)
	}
	return difference
}

// compareSparse compares a sparse vector with the one that its text has.
func compareSparse(indices []uint32, weights []float32, want embed.SparseVector) string {
	if len(indices) != len(want.Indices) {
		return fmt.Sprintf("its sparse vector has %d terms, its text has %d", len(indices), len(want.Indices))
	}
	for i, index := range indices {
		if index != want.Indices[i] {
			return fmt.Sprintf("its sparse_indices have %d where its text has %d", index, want.Indices[i])
		}
		if math.Float32bits(weights[i]) != math.Float32bits(want.Values[i]) {
			return fmt.Sprintf("its sparse_values have %v for %d, its text has %v", weights[i], index, want.Values[i])
		}
	}
	return ""
}

// compareDense compares a dense vector with the one that the model makes of its text.
func compareDense(dense, want []float32, tolerance float32) string {
	if len(dense) != len(want) {
		return fmt.Sprintf("its dense vector has %d dimensions, the model makes %d", len(dense), len(want))
	}
	for i, x := range dense {
		if math.Float32bits(x) == math.Float32bits(want[i]) || tolerance > 0 && max(x-want[i], want[i]-x) <= tolerance {
			continue
		}
		return fmt.Sprintf("its dense vector has %v at %d, the model makes %v of its text", x, i, want[i])
	}
	return ""
}
