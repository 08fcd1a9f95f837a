package spelling

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"out", "languages", "db-memory", "compress", "window", "dump", "dump-site"}
	for name, want := range map[string]string{
		"language": "languages", "langauges": "languages", "dbmemory": "db-memory", "db_memory": "db-memory", "windows": "window",
		"compression": "compress", "outt": "out", "dump-sites": "dump-site", "zebra": "", "": "",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
