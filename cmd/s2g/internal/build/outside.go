package build

import (
	"path/filepath"
	"strings"

	"s2g/schema"
)

// CheckOutside refuses the path of an option for a file inside the folder of a build, where verify finds a file that no build
// writes. It permits names at the top of the folder that begin with a dot.
func CheckOutside(option, path, out string) error {
	if path == "" || out == "" {
		return nil
	}
	within, err := filepath.Rel(realPath(out), realPath(path))
	if err != nil || within == ".." || strings.HasPrefix(within, "../") || strings.HasPrefix(within, ".") && within != "." {
		return nil
	}
	return schema.Faultf(schema.FaultUsage, "give a path outside of it, or one whose name there begins with a dot",
		"option %s %s is in the folder of the build, which holds what the build writes and nothing else", option, path)
}

// realPath returns the absolute path without symbolic links, as far as it exists.
func realPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	if parent := filepath.Dir(abs); parent != abs {
		return filepath.Join(realPath(parent), filepath.Base(abs))
	}
	return abs
}
