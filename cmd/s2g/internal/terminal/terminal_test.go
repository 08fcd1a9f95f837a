package terminal

import "testing"

// A line of JSON keeps its value without a character that a terminal interprets.
func TestEscapeUnprintable(t *testing.T) {
	for line, want := range map[string]string{
		"{\"a\":\"b\"}\n": "{\"a\":\"b\"}\n", "\"\u009b\u202e\u007fé\"\n": `"\u009b\u202e\u007fé"` + "\n", "\"\U000e0041\"": `"\udb40\udc41"`, "\"日本 😀\"": "\"日本 😀\"",
	} {
		if got := string(escapeUnprintable([]byte(line))); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
