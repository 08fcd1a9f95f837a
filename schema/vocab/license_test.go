package vocab

import "testing"

func TestLicenseIRI(t *testing.T) {
	for _, c := range []struct {
		content, created, edited, editor, want string
	}{
		{"CC BY-SA 3.0", "2020-01-01", "", "", "3.0"},
		{"", "2011-04-07 23:59:59.999", "", "", "2.5"},
		{"", "2011-04-08 00:00:00.000", "", "", "3.0"},
		{"", "2018-05-01T23:59:59.999", "", "", "3.0"},
		{"", "2018-05-02T00:00:00.000", "", "", "4.0"},
		{"", "2010-01-01", "2019-01-01", "7", "4.0"},
		{"", "2010-01-01", "2019-01-01", "-1", "2.5"},
		{"", "2010-01-01", "2019-01-01", "", "4.0"},
		{"", "2010-01-01", "2019-01-01", "-12", "4.0"},
		{"none", "2010-01-01", "", "", "2.5"},
	} {
		got := LicenseIRI([]byte(c.content), []byte(c.created), []byte(c.edited), []byte(c.editor))
		if want := "https://creativecommons.org/licenses/by-sa/" + c.want + "/"; got != want {
			t.Errorf("%+v: got %s", c, got)
		}
	}
}
