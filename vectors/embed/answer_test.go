package embed

import (
	"encoding/base64"
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Vectors of all lengths around that of a part come back; what is cut or padded within does not.
func TestDecodeBase64(t *testing.T) {
	for _, dim := range []int{1, 2, 3, 191, 192, 193, 384, 3584} {
		want, raw := make([]float32, dim), []byte(nil)
		for i := range want {
			want[i] = float32(i) / 7
			raw, _ = binary.Append(raw, binary.LittleEndian, want[i])
		}
		text := base64.StdEncoding.EncodeToString(raw)
		got, err := decodeBase64([]byte(text))
		if err != nil {
			t.Fatalf("%d dimensions: %v", dim, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d dimensions: %s", dim, diff)
		}
		for _, bad := range []string{text[:len(text)-1], text[:len(text)-4], "AA==" + text, text + "AA=="} {
			if got, err := decodeBase64([]byte(bad)); err == nil {
				t.Errorf("%d dimensions: %.8s, %d characters, gives %d numbers", dim, bad, len(bad), len(got))
			}
		}
	}
}
