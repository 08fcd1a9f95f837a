// Package manifest keeps the OUT folder of a build: what was built from what,
// the lock that keeps two runs off it, and the atomic commit of each file.
//
// What a stage writes exists only when OUT/manifest.json says so. While a stage
// runs, each file that it commits is a line in OUT/.s2g/STAGE.journal, so that a
// run that was killed goes on from there; when the stage finishes, the lines
// move into the manifest and the journal is removed. A journal, because a
// manifest that is written anew for each of tens of thousands of files would
// cost their number squared.
//
// OUT/.s2g holds what is not published: the lock, the journals, temporary
// files and the private database. It has mode 0700.
package manifest
