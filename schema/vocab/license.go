package vocab

// The first days of the versions of CC BY-SA under which Stack Exchange publishes
// contributions (https://stackoverflow.com/help/licensing).
const (
	since30 = "2011-04-08"
	since40 = "2018-05-02"
)

// siteUser is the LastEditorUserId of an edit by the site itself.
const siteUser = "-1"

// LicenseIRI returns the IRI of the Creative Commons licence of a post or
// comment. content, its ContentLicense, names the version, as "CC BY-SA 4.0". If
// it does not, the version follows from the date of the last edit. Without an edit,
// or after one by the site itself, which keeps the licence, it follows from the date
// of creation. Dates begin with YYYY-MM-DD; editor is LastEditorUserId.
func LicenseIRI(content, created, edited, editor []byte) string {
	if v, ok := version(content); ok {
		return CC + v + "/"
	}
	day := created
	if len(edited) > 0 && string(editor) != siteUser {
		day = edited
	}
	day = day[:min(len(day), len(since30))]
	switch {
	case string(day) < since30:
		return CC + "2.5/"
	case string(day) < since40:
		return CC + "3.0/"
	}
	return CC + "4.0/"
}

// version returns the first digit, full stop, digit of content.
func version(content []byte) (string, bool) {
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	for i := 0; i+2 < len(content); i++ {
		if digit(content[i]) && content[i+1] == '.' && digit(content[i+2]) {
			return string(content[i : i+3]), true
		}
	}
	return "", false
}
