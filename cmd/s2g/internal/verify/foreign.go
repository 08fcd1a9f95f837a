package verify

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"s2g/cmd/s2g/internal/publish"
	"s2g/cmd/s2g/internal/report"
	"s2g/schema/manifest"
)

// checkForeign reports files at the top of the build that it has not written. It only mentions names that
// begin with a dot.
func (v *verifier) checkForeign(c *Check) error {
	own := slices.Concat(stageFolders, publish.Names(), []string{"manifest.json", report.FileName})
	if ingest := v.manifest.Stages[manifest.Ingest]; ingest != nil {
		for _, f := range ingest.Files {
			own = append(own, f.Name)
		}
	}
	var hidden []string
	entries, err := os.ReadDir(v.out)
	if err != nil {
		return fmt.Errorf("listing the files of the build: %w", err)
	}
	for _, e := range entries {
		switch {
		case e.Name() == privateFolder:
		case strings.HasPrefix(e.Name(), "."), v.building && !slices.Contains(own, e.Name()):
			hidden = append(hidden, e.Name())
		case !slices.Contains(own, e.Name()):
			c.differForeign("%s is no file of the build", e.Name())
		}
	}
	if len(hidden) > 0 {
		c.What += "; not of the build: " + strings.Join(hidden, ", ")
	}
	return nil
}

// differForeign records a file that no build writes.
func (c *Check) differForeign(format string, args ...any) {
	if c.OK {
		c.remedy = "remove the file, or move it out of the folder"
	}
	c.differ(format, args...)
}

// privateFolder holds what no build publishes.
const privateFolder = ".s2g"
