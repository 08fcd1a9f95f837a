package embed

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// LSA is a fitted model of latent semantic analysis (Deerwester et al., Indexing by latent semantic analysis,
// JASIS 41, 1990): a text's tf-idf, over the terms that BM25 has, projected on the directions in which the
// texts that it was fitted on differ most. A text has weight (1 + ln tf) idf for a term.
//
// Vectors have unit length and always the dimension asked for: a model fitted on fewer texts, or fewer terms,
// than dimensions has zeros in the last ones, so that the shape of what is built depends on the options alone.
// A text without a known term gets the first axis, and is counted.
//
// An LSA is safe for concurrent use.
type LSA struct {
	dims   int
	terms  []string // ascending
	idf    []float32
	matrix []float32 // a row of dims for each term
	sum    [32]byte  // SHA-256 of all that the model file holds

	index   map[string]int32 // of terms
	words   lexicon
	tallies sync.Pool
	unknown atomic.Int64
}

func newLSA(dims int) *LSA {
	return &LSA{dims: dims, tallies: sync.Pool{New: func() any { return new(tally) }}}
}

func (m *LSA) setTerms(terms []string) {
	m.terms, m.index = terms, make(map[string]int32, len(terms))
	for i, t := range terms {
		m.index[t] = int32(i)
	}
}

// Model returns a name with a hash of the fitted model: two models fitted on different texts differ by name.
func (m *LSA) Model() string {
	return fmt.Sprintf("builtin/lsa-%d-%s", m.dims, hex.EncodeToString(m.sum[:8]))
}

// Dim returns the length of the vectors.
func (m *LSA) Dim() int { return m.dims }

// Terms returns the size of the vocabulary.
func (m *LSA) Terms() int { return len(m.terms) }

// Unknown returns how many documents so far had no known term.
func (m *LSA) Unknown() int64 { return m.unknown.Load() }

// Documents returns the vectors of texts.
func (m *LSA) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, known := m.vector(text)
		if !known {
			m.unknown.Add(1)
		}
		out[i] = v
	}
	return out, nil
}

// Query returns the vector of text, the same that it has as a document.
func (m *LSA) Query(ctx context.Context, text string) ([]float32, error) {
	v, _ := m.vector(text)
	return v, ctx.Err()
}

func (m *LSA) vector(text string) (v []float32, known bool) {
	t := m.tallies.Get().(*tally)
	list, _ := t.of(&m.words, text)
	v, known = m.project(list)
	if t.keepable() {
		m.tallies.Put(t)
	}
	return v, known
}

// project makes a vector of the terms of a text, which come in the order of their ids: the sum depends on it.
func (m *LSA) project(list []count) (v []float32, known bool) {
	v = make([]float32, m.dims)
	for _, c := range list {
		if i, ok := m.index[c.w.stem]; ok {
			axpy(sublinear(c.n)*m.idf[i], m.matrix[int(i)*m.dims:(int(i)+1)*m.dims], v)
		}
	}
	if known = normalise(v); !known {
		v[0] = 1
	}
	return v, known
}

// normalise gives v unit length, and says whether it could: the zero vector stays as it is.
func normalise(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return true
}

// The file of an LSA model, all numbers little-endian:
//
//	magic    8 bytes  "s2g-lsa" and the version of the format, 1
//	dims     uint32   length of the vectors
//	terms    uint32   size of the vocabulary
//	terms ×           uvarint length, then the term's bytes (UTF-8, a stem); ascending by bytes
//	terms ×  float32  inverse document frequency, ln((1 + texts) / (1 + df)) + 1
//	terms ×  dims × float32  the term's row of the right singular vectors
//	sum      32 bytes SHA-256 of all that stands before
const lsaMagic = "s2g-lsa\x01"

// maxTermLen is the length of the longest term, in bytes.
const maxTermLen = 64

// WriteTo writes the model file.
func (m *LSA) WriteTo(w io.Writer) (int64, error) {
	n, err := m.writeBody(w)
	if err == nil {
		var k int
		k, err = w.Write(m.sum[:])
		n += int64(k)
	}
	if err != nil {
		return n, fmt.Errorf("write the model: %w", err)
	}
	return n, nil
}

// checksum returns the SHA-256 that ends the model file.
func (m *LSA) checksum() (sum [32]byte) {
	h := sha256.New()
	_, _ = m.writeBody(h) // a hash takes everything
	h.Sum(sum[:0])
	return sum
}

func (m *LSA) writeBody(w io.Writer) (int64, error) {
	var n int64
	buf := append(make([]byte, 0, 1<<16), lsaMagic...)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(m.dims))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(m.terms)))
	flush := func(atLeast int) error {
		if len(buf) < atLeast {
			return nil
		}
		k, err := w.Write(buf)
		n, buf = n+int64(k), buf[:0]
		return err
	}
	for _, t := range m.terms {
		buf = binary.AppendUvarint(buf, uint64(len(t)))
		buf = append(buf, t...)
		if err := flush(1 << 15); err != nil {
			return n, err
		}
	}
	for _, part := range [][]float32{m.idf, m.matrix} {
		for _, x := range part {
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(x))
			if err := flush(1 << 15); err != nil {
				return n, err
			}
		}
	}
	return n, flush(0)
}

// ReadLSA reads a model file to its end.
func ReadLSA(r io.Reader) (*LSA, error) {
	m, err := readLSA(r)
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("read the model: %w", err)
	}
	return m, nil
}

func readLSA(r io.Reader) (*LSA, error) {
	b := &hashedReader{r: bufio.NewReaderSize(r, 1<<16), h: sha256.New()}
	head := make([]byte, len(lsaMagic)+8)
	if _, err := io.ReadFull(b, head); err != nil {
		return nil, err
	}
	if string(head[:len(lsaMagic)]) != lsaMagic {
		return nil, errors.New("it is no model of this version")
	}
	dims := binary.LittleEndian.Uint32(head[len(lsaMagic):])
	count := binary.LittleEndian.Uint32(head[len(lsaMagic)+4:])
	if dims < 1 || dims > maxDims || count > maxTerms {
		return nil, fmt.Errorf("%d dimensions, %d terms: out of range", dims, count)
	}
	m := newLSA(int(dims))
	terms, err := readTerms(b, int(count))
	if err != nil {
		return nil, err
	}
	m.setTerms(terms)
	if m.idf, err = readFloats(b, len(terms)); err != nil {
		return nil, err
	}
	if m.matrix, err = readFloats(b, len(terms)*m.dims); err != nil {
		return nil, err
	}
	return m, readSum(b, m.sum[:])
}

// readTerms reads count terms. What it allocates grows with what there is to read, not with a count that may
// be wrong.
func readTerms(b *hashedReader, count int) ([]string, error) {
	var terms []string
	var buf [maxTermLen]byte
	for i := range count {
		n, err := binary.ReadUvarint(b)
		if err != nil {
			return nil, err
		}
		if n > maxTermLen {
			return nil, fmt.Errorf("a term of %d bytes", n)
		}
		if _, err := io.ReadFull(b, buf[:n]); err != nil {
			return nil, err
		}
		terms = append(terms, string(buf[:n]))
		if i > 0 && terms[i] <= terms[i-1] {
			return nil, fmt.Errorf("term %d is not above the one before", i)
		}
	}
	return terms, nil
}

// readFloats reads n numbers, allocating as readTerms does.
func readFloats(b *hashedReader, n int) ([]float32, error) {
	var out []float32
	buf := make([]byte, 1<<16)
	for len(out) < n {
		k := min(len(buf)/4, n-len(out))
		if _, err := io.ReadFull(b, buf[:4*k]); err != nil {
			return nil, err
		}
		out = slices.Grow(out, k)
		for i := range k {
			out = append(out, math.Float32frombits(binary.LittleEndian.Uint32(buf[4*i:])))
		}
	}
	return out, nil
}

// readSum reads the file's last bytes into sum and holds them against what was read before.
func readSum(b *hashedReader, sum []byte) error {
	if _, err := io.ReadFull(b.r, sum); err != nil {
		return err
	}
	if !bytes.Equal(sum, b.h.Sum(nil)) {
		return errors.New("its checksum is wrong")
	}
	if _, err := b.r.ReadByte(); err == nil {
		return errors.New("something follows it")
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// hashedReader hashes what is read through it.
type hashedReader struct {
	r *bufio.Reader
	h hash.Hash
}

func (b *hashedReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.h.Write(p[:n])
	return n, err
}

func (b *hashedReader) ReadByte() (byte, error) {
	c, err := b.r.ReadByte()
	if err == nil {
		b.h.Write([]byte{c})
	}
	return c, err
}
