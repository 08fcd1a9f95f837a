package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"s2g/schema"
)

// Edition names what a stage has made, as servers keep it: the day of the
// dump's newest post, an underscore, and 8 hexadecimal digits of the stage's
// files, as "2024-03-31_5f1d2c3b". Inputs and options decide the files, byte by
// byte, so the same dump with the same options has the same name wherever and
// whenever it is built, and another has another. A stage that has not finished
// is a usage fault.
func (m *Manifest) Edition(stage string) (string, error) {
	s := m.Stages[stage]
	if s == nil {
		return "", schema.Faultf(schema.FaultUsage, "run s2g build, or s2g "+stage+", to its end", "the build has no %s yet", stage)
	}
	day, _, _ := strings.Cut(m.Dump.Newest, "T")
	if day == "" {
		day = "undated"
	}
	sum := sha256.New()
	for _, f := range s.Files {
		fmt.Fprintf(sum, "%s %d %s\n", f.Name, f.Size, f.SHA256)
	}
	return day + "_" + hex.EncodeToString(sum.Sum(nil)[:4]), nil
}
