package verify

import (
	"fmt"

	"s2g/schema"
)

// Report is what was verified, in order.
type Report struct {
	Checks   []Check   `json:"checks"`
	Contents *Contents `json:"-"` // what the build holds, to compare servers with later
}

// Check is the comparison of one kind of thing.
type Check struct {
	Name       string `json:"name"`
	What       string `json:"what"` // what Count counts, as "quads"
	Count      int64  `json:"count"`
	OK         bool   `json:"ok"`
	Difference string `json:"difference,omitempty"` // the first

	remedy string // of a difference; empty: that of files
}

func newCheck(name, what string) Check { return Check{Name: name, What: what, OK: true} }

// differ records a difference. The first is kept.
func (c *Check) differ(format string, args ...any) {
	if c.OK {
		c.OK, c.Difference = false, fmt.Sprintf(format, args...)
	}
}

// fault returns the error that names the report's first difference, nil where
// there is none.
func (r Report) fault(out string) error {
	for _, c := range r.Checks {
		if !c.OK {
			remedy := "build into another folder, or remove the damaged file and the stage's entry of manifest.json"
			if c.remedy != "" {
				remedy = c.remedy
			}
			return schema.Faultf(schema.FaultVerification, remedy, "%s differs: %s: %s", out, c.Name, c.Difference)
		}
	}
	return nil
}
