package embed

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"

	"s2g/schema"
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

// Language returns the language of the texts.
func (m *LSA) Language() Language { return cmp.Or(m.analyzer.lexicon.language, English) }

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
//	magic    8 bytes  "s2g-lsa" and the version of the format: 1 for English, 2 for another language
//	language          of version 2: uvarint length, then its name
//	dims     uint32   length of the vectors
//	terms    uint32   size of the vocabulary
//	terms ×           uvarint length, then the term's bytes (UTF-8, a stem); ascending by bytes
//	terms ×  float32  inverse document frequency, ln((1 + texts) / (1 + df)) + 1
//	terms ×  dims × float32  the term's row of the right singular vectors
//	sum      32 bytes SHA-256 of all bytes before it
const (
	lsaMagic         = "s2g-lsa\x01"
	lsaLanguageMagic = "s2g-lsa\x02"
)

// Write writes the model file.
func (m *LSA) Write(w io.Writer) error {
	b := bufio.NewWriterSize(w, 1<<16)
	m.writeContent(b)
	b.Write(m.sum[:])
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write the model: %w", err)
	}
	return nil
}

// setSum computes the SHA-256 that ends the model file.
func (m *LSA) setSum() {
	h := sha256.New()
	b := bufio.NewWriterSize(h, 1<<16)
	m.writeContent(b)
	_ = b.Flush() // a hash returns no error
	h.Sum(m.sum[:0])
}

// writeContent writes the model file without its checksum. The writer's Flush returns the error of any write.
func (m *LSA) writeContent(w *bufio.Writer) {
	if l := m.Language(); l == English {
		w.WriteString(lsaMagic)
	} else {
		w.WriteString(lsaLanguageMagic)
		w.Write(binary.AppendUvarint(w.AvailableBuffer(), uint64(len(l))))
		w.WriteString(string(l))
	}
	w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), uint32(m.dims)))
	w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), uint32(len(m.terms))))
	for _, t := range m.terms {
		w.Write(binary.AppendUvarint(w.AvailableBuffer(), uint64(len(t))))
		w.WriteString(t)
	}
	for _, part := range [][]float32{m.idf, m.matrix} {
		for _, x := range part {
			w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), math.Float32bits(x)))
		}
	}
}

// ReadLSAFile reads the model file at path.
func ReadLSAFile(path string) (*LSA, error) {
	content, err := schema.ReadRegular(path)
	if err != nil {
		return nil, fmt.Errorf("read the dense embedder: %w", err)
	}
	m, err := parseLSA(content)
	if err != nil {
		return nil, fmt.Errorf("read the dense embedder %s: %w", path, err)
	}
	return m, nil
}

// parseLSA parses the content of a model file. The checksum is checked first, and so finds any damage.
func parseLSA(content []byte) (*LSA, error) {
	rest, ok := bytes.CutPrefix(content, []byte(lsaMagic))
	named := false
	if !ok {
		rest, named = bytes.CutPrefix(content, []byte(lsaLanguageMagic))
	}
	if !ok && !named || len(rest) < 8+sha256.Size {
		return nil, errors.New("not a model file of this version")
	}
	end := len(content) - sha256.Size
	m := &LSA{sum: sha256.Sum256(content[:end])}
	if !bytes.Equal(m.sum[:], content[end:]) {
		return nil, errors.New("the file is damaged: its checksum is wrong")
	}
	rest = rest[:len(rest)-sha256.Size]
	if named {
		name, after, err := cutString(rest)
		if err != nil {
			return nil, fmt.Errorf("the language: %w", err)
		}
		if _, known := languageTable[Language(name)]; !known || len(after) < 8 {
			return nil, fmt.Errorf("texts in %q: this s2g has no such language", name)
		}
		m.analyzer.lexicon.language, rest = Language(name), after
	}
	count := int(binary.LittleEndian.Uint32(rest[4:]))
	m.dims, rest = int(binary.LittleEndian.Uint32(rest)), rest[8:]
	var terms []string
	for range count {
		term, after, err := cutString(rest)
		if err != nil {
			return nil, fmt.Errorf("%d terms, the file has %d", count, len(terms))
		}
		terms, rest = append(terms, term), after
	}
	if m.dims < 1 || m.dims > maxDims || len(rest) != 4*count*(1+m.dims) {
		return nil, fmt.Errorf("%d terms, %d dimensions: the numbers have %d bytes", count, m.dims, len(rest))
	}
	numbers := make([]float32, len(rest)/4)
	for i := range numbers {
		numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(rest[4*i:]))
	}
	m.setTerms(terms)
	m.idf, m.matrix = numbers[:count], numbers[count:]
	return m, nil
}

// cutString returns the string at the beginning of content, whose length precedes it, and the rest.
func cutString(content []byte) (s string, rest []byte, err error) {
	n, k := binary.Uvarint(content)
	if k <= 0 || n > uint64(len(content)-k) {
		return "", nil, io.ErrUnexpectedEOF
	}
	return string(content[k : k+int(n)]), content[k+int(n):], nil
}
