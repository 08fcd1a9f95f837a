package embed

import (
	"context"
	"errors"
	"io"
	"iter"
)

// LSAOptions says how to fit. The zero value works.
type LSAOptions struct {
	Dims       int    // length of the vectors; 0 means 256
	Terms      int    // largest size of the vocabulary; 0 means a default
	Seed       uint64 // of the random start
	Iterations int    // of the subspace; 0 means a default
}

// LSA is a fitted model of latent semantic analysis.
type LSA struct{ dims int }

// FitLSA fits a model on texts.
func FitLSA(ctx context.Context, texts iter.Seq[string], o LSAOptions) (*LSA, error) {
	return nil, errors.New("fit: not built yet")
}

// ReadLSA reads a model that WriteTo wrote.
func ReadLSA(r io.Reader) (*LSA, error) { return nil, errors.New("read: not built yet") }

// WriteTo writes the model.
func (m *LSA) WriteTo(w io.Writer) (int64, error) { return 0, errors.New("write: not built yet") }

func (m *LSA) Model() string  { return "builtin/lsa" }
func (m *LSA) Dim() int       { return m.dims }
func (m *LSA) Unknown() int64 { return 0 }
func (m *LSA) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	return nil, errors.New("not built yet")
}
func (m *LSA) Query(ctx context.Context, text string) ([]float32, error) {
	return nil, errors.New("not built yet")
}
