package embed

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// decodeEmbeddings reads the answer of /embeddings to n texts: for each an array of numbers, or base64 of little-endian
// float32. It returns the vectors in the order of the texts, and the model's name.
func decodeEmbeddings(answer []byte, n int) (vectors [][]float32, model string, err error) {
	var a struct {
		Model string `json:"model"`
		Data  []struct {
			Index     *int `json:"index"`
			Embedding *int `json:"embedding"`
		} `json:"data"`
	}
	rest, extracted := extractVectors(answer)
	if err := json.Unmarshal(rest, &a); err != nil {
		if bytes.Contains(answer, []byte("NaN")) || bytes.Contains(answer, []byte("Infinity")) {
			return nil, "", errNotFinite // as Python writes them; JSON has neither
		}
		return nil, "", err
	}
	if len(a.Data) != n {
		return nil, "", &formError{fmt.Sprintf("%d vectors for %d texts", len(a.Data), n)}
	}
	vectors = make([][]float32, n)
	var notFinite, zero indexes
	for i, d := range a.Data {
		at := i // some servers omit the index of all
		if (d.Index == nil) != (a.Data[0].Index == nil) {
			return nil, "", &formError{fmt.Sprintf("the vector at %d has no index, others have one", i)}
		}
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= n {
			return nil, "", &formError{fmt.Sprintf("the vector at %d has the index %d of %d texts", i, at, n)}
		}
		if vectors[at] != nil {
			return nil, "", &formError{fmt.Sprintf("two vectors of %d have the index %d", n, at)}
		}
		if d.Embedding == nil || *d.Embedding < 0 || *d.Embedding >= len(extracted) {
			return nil, "", &formError{fmt.Sprintf("the vector of index %d is missing", at)}
		}
		v, err := decodeNumbers(extracted[*d.Embedding])
		switch {
		case errors.Is(err, errNotFinite):
			notFinite.add(at)
			v = []float32{}
		case err != nil:
			return nil, "", fmt.Errorf("index %d: %w", at, err)
		case isZero(v):
			zero.add(at)
		}
		vectors[at] = v
	}
	switch {
	case notFinite.count > 0:
		return nil, "", fmt.Errorf("%w: %s", errNotFinite, notFinite.describe(n))
	case zero.count > 0:
		return nil, "", fmt.Errorf("%w: %s", errZero, zero.describe(n))
	}
	return vectors, a.Model, nil
}

// formError reports an answer in another form than the API defines.
type formError struct{ message string }

func (e *formError) Error() string { return e.message }

// indexes counts the texts of a request to which something applies.
type indexes struct{ count, first int }

func (x *indexes) add(at int) {
	if x.count++; x.count == 1 || at < x.first {
		x.first = at
	}
}

func (x *indexes) describe(n int) string {
	return fmt.Sprintf("%d of %d vectors, the first of index %d", x.count, n, x.first)
}

// isZero reports whether a vector has numbers, and all are zero.
func isZero(v []float32) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return len(v) > 0
}

// extractVectors replaces each vector in an answer with its number, and returns the vectors. They are nearly all of an
// answer, and a JSON scanner takes ten times as long as their decoding (BenchmarkDecodeEmbeddings). The name that it
// searches for, quotes included, is in no string: the second quote would be escaped there.
func extractVectors(answer []byte) (rest []byte, vectors [][]byte) {
	name := []byte(`"embedding"`)
	rest = make([]byte, 0, 1024)
	for {
		i := bytes.Index(answer, name)
		if i < 0 {
			return append(rest, answer...), vectors
		}
		for i += len(name); i < len(answer) && (answer[i] <= ' ' || answer[i] == ':'); {
			i++
		}
		rest, answer = append(rest, answer[:i]...), answer[i:]
		end := -1
		if len(answer) > 0 && answer[0] == '"' {
			end = 1 + bytes.IndexByte(answer[1:], '"')
		} else if len(answer) > 0 && answer[0] == '[' {
			end = bytes.IndexByte(answer, ']')
		}
		if end <= 0 {
			continue // the value of "object", or a vector without an end
		}
		rest = strconv.AppendInt(rest, int64(len(vectors)), 10)
		vectors = append(vectors, answer[:end+1])
		answer = answer[end+1:]
	}
}

// errUseless is the cause of the errors of vectors that no search can use.
var errUseless = errors.New("vectors of no use")

var (
	// errNotFinite reports a vector that holds NaN or an infinity.
	errNotFinite = fmt.Errorf("%w: a vector holds values that are not finite", errUseless)
	// errZero reports a vector that holds only zeros.
	errZero = fmt.Errorf("%w: a vector is zero", errUseless)
)

// decodeNumbers reads a JSON array of numbers, of any depth, or a string of base64. Values that are not finite are
// errNotFinite.
func decodeNumbers(raw []byte) (v []float32, err error) {
	switch {
	case len(raw) < 2:
		return nil, errors.New("a vector is missing")
	case raw[0] == '"':
		v, err = decodeBase64(raw[1 : len(raw)-1])
	case raw[0] == '[':
		v, err = decodeArray(string(raw))
	default:
		return nil, fmt.Errorf("a vector is %.20s", raw)
	}
	for _, x := range v {
		if x-x != 0 {
			return nil, errNotFinite
		}
	}
	return v, err
}

// decodeArray reads the numbers of a JSON array of any depth.
func decodeArray(text string) ([]float32, error) {
	isSeparator := func(c byte) bool { return c <= ' ' || c == ',' || c == '[' || c == ']' }
	v := make([]float32, 0, 1+strings.Count(text, ","))
	for i := 0; i < len(text); {
		if isSeparator(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && !isSeparator(text[i]) {
			i++
		}
		number := text[from:i]
		if number == "null" { // NaN, as some servers write it
			return nil, errNotFinite
		}
		x, err := strconv.ParseFloat(number, 32)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return nil, fmt.Errorf("a vector holds %.20s", number)
		}
		v = append(v, float32(x))
	}
	return v, nil
}

// decodeBase64 reads little-endian float32. JSON may escape the slashes. It decodes the text by parts, without a copy of
// its bytes (BenchmarkDecodeEmbeddings).
func decodeBase64(text []byte) ([]float32, error) {
	if bytes.IndexByte(text, '\\') >= 0 {
		text = bytes.ReplaceAll(text, []byte(`\/`), []byte("/"))
	}
	const part = 1024 // of the text: 768 bytes, 192 numbers
	var b [part / 4 * 3]byte
	v := make([]float32, 0, base64.StdEncoding.DecodedLen(len(text))/4)
	for len(text) > 0 {
		n, err := base64.StdEncoding.Decode(b[:], text[:min(part, len(text))])
		if err != nil {
			return nil, fmt.Errorf("a vector's base64: %w", err)
		}
		text = text[min(part, len(text)):]
		if n%4 != 0 || len(text) > 0 && n < len(b) { // padding is at the end alone
			return nil, fmt.Errorf("a vector of %d bytes", 4*len(v)+n)
		}
		for i := 0; i < n; i += 4 {
			v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(b[i:])))
		}
	}
	return v, nil
}
