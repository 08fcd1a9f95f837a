package commandline

import (
	"strings"
	"testing"
)

func TestParsePool(t *testing.T) {
	const machine = 8 << 30
	for value, want := range map[string]int64{"": 0, "default": 0, "16MiB": 16 << 20, "512M": 512_000_000, "4 GiB": 4 << 30, "8GiB": machine} {
		if got, err := ParsePool("db-memory", value, machine); err != nil || got != want {
			t.Errorf("%q: %d, %v", value, got, err)
		}
	}
	for value, want := range map[string]string{
		"8": "no unit", "lots": "not a size", "-1GiB": "not a size", "15MiB": "too small", "9GiB": "more than this machine has, 8.0 GiB", "100TB": "more than", "5EiB": "not a size",
	} {
		if got, err := ParsePool("db-memory", value, machine); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %d, %v", value, got, err)
		}
	}
	if got, err := ParsePool("db-memory", "100TiB", 0); err != nil || got != 100<<40 {
		t.Errorf("a machine of unknown memory: %d, %v", got, err)
	}
}
