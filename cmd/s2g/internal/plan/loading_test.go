package plan

import (
	"strings"
	"testing"

	"s2g/schema/manifest"
)

func TestLoading(t *testing.T) {
	in := estimateInput{Dump: findDump(t, 6200e6), Stale: all(true), Pool: pool, Cores: 2}
	for cores, want := range map[int]string{
		2: "over 1 of MariaDB's connections, in about 1m40s at least; with 8 cores over 4, in 25s",
		4: "over 2 of MariaDB's connections, in about 50s at least; with 8 cores over 4, in 25s",
		8: "over 4 of MariaDB's connections, in about 25s at least",
	} {
		in.Cores = cores
		var text strings.Builder
		if err := planOf(t, in).Write(&text); err != nil || !strings.HasSuffix(text.String(), want+"\n") {
			t.Errorf("%d cores: no %q in\n%s (%v)", cores, want, text.String(), err)
		}
	}
	in.Stale = map[string]bool{manifest.Graph: true}
	if p := planOf(t, in); p.Loading != nil {
		t.Errorf("nothing is loaded: %+v", p.Loading)
	}
}
