package commandline

import "testing"

func TestParseDate(t *testing.T) {
	for value, want := range map[string]string{"2023": "2023-01-01T00:00:00Z", "2023-05": "2023-05-01T00:00:00Z", "2023-05-31": "2023-05-31T00:00:00Z", "2023-05-31T02:00:00+02:00": "2023-05-31T00:00:00Z"} {
		if got, err := ParseDate(value); err != nil || got.UTC().Format("2006-01-02T15:04:05Z") != want {
			t.Errorf("%s: %v, %v", value, got, err)
		}
	}
	for _, value := range []string{"23", "2023-13", "31.05.2023", "now"} {
		if got, err := ParseDate(value); err == nil {
			t.Errorf("%s: %v", value, got)
		}
	}
}
