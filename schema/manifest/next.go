package manifest

import "path/filepath"

// NextFolder returns the folder in OUT in which a build makes the outputs that
// replace those in service. It looks like an OUT folder as a whole: a new stage's
// folders are real; the folder of a stage that does not change is a relative
// symbolic link to the one in service. Without an unfinished build there is none.
func NextFolder(out string) string { return filepath.Join(out, ".s2g", "next") }
