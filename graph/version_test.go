package graph

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"testing"

	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// versionOfFiles is the Version that wrote the files with the hash hashOfFiles. Both change together.
const (
	versionOfFiles = 2
	hashOfFiles    = "7fabb677c4c087d7363924eec29f5feeea08b6a84d4b6dc3cfdabfe50b244ad7"
)

// The files of a small dump change only with Version: a build with other files would else be up to date.
func TestVersionIsThatOfTheFiles(t *testing.T) {
	db := mini(t)
	hash := sha256.New()
	for _, o := range []Options{
		{Site: vocab.StackOverflow, Languages: languages, Compress: "none"},
		{Site: vocab.StackOverflow, Languages: languages, Other: true},
		{Site: vocab.StackOverflow, Languages: languages, Compress: "zstd", Format: "nquads", Materialize: true, batch: 17},
	} {
		files := contents(t, buildGraph(t, db, o))
		for _, name := range slices.Sorted(maps.Keys(files)) {
			fmt.Fprintf(hash, "%s %x\n", name, sha256.Sum256([]byte(files[name])))
		}
	}
	if got := fmt.Sprintf("%x", hash.Sum(nil)); got != hashOfFiles || Version != versionOfFiles {
		t.Errorf("version %d of %s writes files with the hash %s; the files of version %d have %s: raise Version, then enter both here",
			Version, manifest.Graph, got, versionOfFiles, hashOfFiles)
	}
}
