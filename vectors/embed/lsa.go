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
	"os"
	"slices"
)

// LSA is a fitted model of latent semantic analysis (Deerwester et al., Indexing by latent semantic analysis, JASIS 41,
// 1990). It projects the tf-idf of a text, over the terms that BM25 has, on the directions in which the texts of the fit
// differ most. A term that occurs tf times has the weight (1 + ln tf) idf.
//
// Vectors have unit length and always the requested dimension: a model fitted on fewer texts or terms than dimensions has
// zeros in the last ones, so that the shape of a build's files depends on its options alone. The vector of a text without
// a term of the vocabulary is the first axis.
//
// An LSA is safe for concurrent use.
type LSA struct {
	dims   int
	terms  []string // the vocabulary, ascending
	idf    []float32
	matrix []float32 // a row of dims for each term
	sum    [32]byte  // SHA-256 of the model file's content

	index    map[string]int32 // of terms
	analyzer analyzer
}

func (m *LSA) setTerms(terms []string) {
	m.terms, m.index = terms, make(map[string]int32, len(terms))
	for i, t := range terms {
		m.index[t] = int32(i)
	}
}

// Model returns a name with a hash of the fitted model. Models fitted on different texts have different names.
func (m *LSA) Model() string {
	return fmt.Sprintf("%s/lsa-%d-%s", KindBuiltin, m.dims, hex.EncodeToString(m.sum[:8]))
}

// Dim returns the length of the vectors.
func (m *LSA) Dim() int { return m.dims }

// Documents returns the vectors of texts.
func (m *LSA) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v, err := m.Query(ctx, text)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// Query returns the vector of text, which is the same as that of a document.
func (m *LSA) Query(ctx context.Context, text string) (v []float32, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.analyzer.count(text, func(terms []termCount, _ int) { v = m.project(terms) })
	return v, nil
}

// project returns the vector of the terms of a text. The sum depends on their order, which is that of their ids.
func (m *LSA) project(terms []termCount) []float32 {
	v := make([]float32, m.dims)
	for _, t := range terms {
		if i, ok := m.index[t.word.stem]; ok {
			axpy(sublinearTF(t.n)*m.idf[i], m.matrix[int(i)*m.dims:(int(i)+1)*m.dims], v)
		}
	}
	if !normalise(v) {
		v[0] = 1
	}
	return v
}

// IsFirstAxis reports whether v is the first axis: the vector of a text without any term that the builtin embedder has in
// its vocabulary, and of a text that an endpoint refuses.
func IsFirstAxis(v []float32) bool { return len(v) > 0 && v[0] == 1 }

// normalise scales v to unit length. It returns false for the zero vector, which stays as it is.
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

// The file of an LSA model; all numbers are little-endian:
//
//	magic    8 bytes  "s2g-lsa" and the version of the format, 1
//	dims     uint32   length of the vectors
//	terms    uint32   size of the vocabulary
//	terms ×           uvarint length, then the term's bytes (UTF-8, a stem); ascending by bytes
//	terms ×  float32  inverse document frequency, ln((1 + texts) / (1 + df)) + 1
//	terms ×  dims × float32  the term's row of the right singular vectors
//	sum      32 bytes SHA-256 of all bytes before it
const (
	lsaMagic   = "s2g-lsa\x01"
	maxTerms   = 1 << 24
	maxTermLen = 64 // bytes
)

// WriteTo writes the model file.
func (m *LSA) WriteTo(w io.Writer) (int64, error) {
	n, err := m.writeContent(w)
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

// setSum computes the SHA-256 that ends the model file.
func (m *LSA) setSum() {
	h := sha256.New()
	_, _ = m.writeContent(h) // a hash returns no error
	h.Sum(m.sum[:0])
}

// writeContent writes the model file without its checksum.
func (m *LSA) writeContent(w io.Writer) (int64, error) {
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

// ReadLSAFile reads the model file at path.
func ReadLSAFile(path string) (*LSA, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the dense embedder: %w", err)
	}
	defer f.Close()
	m, err := ReadLSA(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// ReadLSA reads a model file to its end. A wrong checksum, and anything behind it, is an error.
func ReadLSA(r io.Reader) (*LSA, error) {
	m, err := readLSA(&hashedReader{r: bufio.NewReaderSize(r, 1<<16), h: sha256.New()})
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("read the model: %w", err)
	}
	return m, nil
}

func readLSA(b *hashedReader) (*LSA, error) {
	head := make([]byte, len(lsaMagic)+8)
	if _, err := io.ReadFull(b, head); err != nil {
		return nil, err
	}
	if string(head[:len(lsaMagic)]) != lsaMagic {
		return nil, errors.New("not a model file of this version")
	}
	dims := binary.LittleEndian.Uint32(head[len(lsaMagic):])
	count := binary.LittleEndian.Uint32(head[len(lsaMagic)+4:])
	if dims < 1 || dims > maxDims || count > maxTerms {
		return nil, fmt.Errorf("%d dimensions, %d terms: out of range", dims, count)
	}
	m := &LSA{dims: int(dims)}
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
	if _, err := io.ReadFull(b.r, m.sum[:]); err != nil {
		return nil, err
	}
	if !bytes.Equal(m.sum[:], b.h.Sum(nil)) {
		return nil, errors.New("the checksum is wrong")
	}
	if _, err := b.r.ReadByte(); err == nil {
		return nil, errors.New("bytes follow the checksum")
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return m, nil
}

// readTerms reads count terms. Its memory grows with the bytes that are read, not with count, which may be wrong.
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

// readFloats reads n numbers, with memory as readTerms.
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

// hashedReader hashes the bytes that are read through it.
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
