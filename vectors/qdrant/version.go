package qdrant

import (
	"fmt"
	"regexp"
	"strconv"

	"s2g/schema"
)

// The oldest version of Qdrant that a load and a search work with. Named sparse vectors with the modifier idf and the query
// API are in Qdrant since 1.10, the metadata of collections since 1.16, and the weights of a fusion, without which a search
// would have other results, since 1.17.
const minMajor, minMinor = 1, 17

var versionForm = regexp.MustCompile(`^v?(\d{1,4})\.(\d{1,4})(?:\.|-|\+|$)`)

// checkVersion returns a usage fault where the server is too old. It warns of a version that it cannot read.
func (s *Server) checkVersion() error {
	found := versionForm.FindStringSubmatch(s.version)
	if found == nil {
		s.Log.Warn("the version of Qdrant is unknown; at least "+minVersion()+" is required", "address", s.Address.String(), "version", s.version)
		return nil
	}
	major, _ := strconv.Atoi(found[1])
	minor, _ := strconv.Atoi(found[2])
	if major > minMajor || major == minMajor && minor >= minMinor {
		return nil
	}
	return schema.Faultf(schema.FaultUsage, "update it to Qdrant "+minVersion()+" or newer", "%s is too old: Qdrant %s", s.Address, s.version)
}

func minVersion() string { return fmt.Sprintf("%d.%d", minMajor, minMinor) }
