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

func TestShellQuoted(t *testing.T) {
	for word, want := range map[string]string{"c++": "c++", "c#": "'c#'", "a'b": `'a'\''b'`, "": "''", "/srv/A b": "'/srv/A b'", "python,r": "python,r"} {
		if got := ShellQuoted(word); got != want {
			t.Errorf("%q is quoted as %s", word, got)
		}
	}
}
