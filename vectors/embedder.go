package vectors

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"s2g/schema/manifest"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

// embedders opens the two embedders. The builtin dense one is that of the build to
// reuse; else it is fitted on the sample, unless an interrupted run has done so.
func (s *stage) embedders(ctx context.Context, folder string, sample []int64) (err error) {
	if s.sparse, err = embed.OpenSparse(ctx, s.Sparse, s.endpoints()); err != nil {
		return err
	}
	if s.Dense != Builtin && s.dense == nil {
		s.dense, err = embed.OpenDense(ctx, s.Dense, s.endpoints())
		return err
	}
	if s.dense != nil {
		return nil
	}
	if _, ok := s.files[shard.ModelName]; ok {
		s.dense, err = embed.ReadLSAFile(modelPath(folder))
		return err
	}
	var model *embed.LSA
	if s.earlier != nil && strings.HasPrefix(s.earlier.of.Dense, "builtin/") {
		model, err = embed.ReadLSAFile(modelPath(s.Reuse))
	} else {
		s.Progress("fitting the dense embedder", 0, 0)
		s.Log.Info("fitting the dense embedder", "posts", len(sample))
		if model, err = s.fit(ctx, sample); err != nil {
			err = fmt.Errorf("fitting the dense embedder: %w", err)
		}
	}
	if err != nil {
		return err
	}
	s.dense = model
	return s.saveModel(model)
}

func (s *stage) endpoints() embed.RemoteOptions {
	o := s.Remote
	o.Log = s.Log
	return o
}

// openEarlier opens the build to reuse, if there is one of the same models.
func (s *stage) openEarlier() (err error) {
	if s.Reuse == "" {
		return nil
	}
	s.earlier, err = openEarlier(s.Reuse)
	return err
}

// checkEarlier lets go of a build to reuse that has other models.
func (s *stage) checkEarlier() {
	if e := s.earlier; e != nil && (e.of.Dense != s.dense.Model() || e.of.Sparse != s.sparse.Model()) {
		s.Log.Warn("no vectors are reused: they are of other models", "dense", e.of.Dense, "sparse", e.of.Sparse)
		s.earlier = nil
	}
}

// modelPath returns the path of the fitted model in a folder of a build.
func modelPath(out string) string { return filepath.Join(out, filepath.FromSlash(shard.ModelName)) }

func (s *stage) saveModel(model *embed.LSA) error {
	out, err := s.outputs.Create(shard.ModelName)
	if err != nil {
		return err
	}
	defer out.Abort()
	buffered := bufio.NewWriterSize(out, 128<<10)
	if _, err := model.WriteTo(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	committed, err := out.Commit(0, "")
	if err != nil {
		return err
	}
	return s.outputs.Note("vectors/model", 0, "", committed)
}

// vectorsOf makes the vectors of texts.
func (s *stage) vectorsOf(ctx context.Context, texts []string) ([]vectors, error) {
	dense, sparse, err := embed.Documents(ctx, s.dense, s.sparse, texts)
	if err != nil {
		return nil, err
	}
	if len(dense) != len(texts) || len(sparse) != len(texts) {
		return nil, fmt.Errorf("%d texts gave %d dense and %d sparse vectors", len(texts), len(dense), len(sparse))
	}
	all := make([]vectors, len(texts))
	for i := range all {
		all[i] = vectors{dense[i], sparse[i]}
	}
	return all, nil
}

func (v vectors) into(p *shard.Point) {
	p.Dense, p.SparseIndices, p.SparseValues = v.dense, v.sparse.Indices, v.sparse.Values
}

// remoteCounts are what endpoints did, by name.
type remoteCounts map[string]int64

// since returns what endpoints have done since the last call. It is called with the
// lock: units are made side by side, and what was done for one may be told by another.
func (s *stage) since() remoteCounts {
	now, more := remoteCounts{}, remoteCounts{}
	for name, e := range map[string]any{"dense": s.dense, "sparse": s.sparse} {
		of := embed.StatsOf(e)
		now[name+"_retries"], now[name+"_texts_truncated"], now[name+"_texts_refused"] = of.Retries, of.Truncated, of.Refused
	}
	for name, n := range now {
		if n > s.remote[name] {
			more[name] = n - s.remote[name]
		}
	}
	s.remote = now
	return more
}

// embeddersOf is what the manifest says of them; nil where nothing was embedded.
func (s *stage) embeddersOf() *manifest.Embedders {
	if s.dense == nil {
		return nil
	}
	return &manifest.Embedders{
		Dense: s.dense.Model(), Sparse: s.sparse.Model(), Windows: s.windows.rule(), Weight: embed.DefaultWeight(s.dense.Model()),
	}
}
