package dump

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"s2g/schema"
)

// markedSite returns the host in the [schema.DumpSiteFile] of a folder, "" if there
// is none.
func markedSite(dir string) (string, error) {
	path := filepath.Join(dir, schema.DumpSiteFile)
	text, err := schema.ReadRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", inputError(path, err)
	}
	site := siteOf(strings.TrimSpace(string(text)))
	if site == "" {
		return "", schema.Faultf(schema.FaultInput, "write the host of the site into it, as stackoverflow.com, or remove it", "%s names no site", path)
	}
	return site, nil
}

// siteOf returns the host of a site that the name of a folder or archive contains,
// "" if it contains none.
func siteOf(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	name := strings.ToLower(filepath.Base(path))
	name = strings.TrimSuffix(name, ".7z")
	if host, table := cutTable(name); table != "" {
		name = host
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return ""
		}
	}
	if !strings.HasSuffix(name, ".com") && !strings.HasSuffix(name, ".net") {
		return "" // all sites of the network end so; dump.v2 is none
	}
	return name
}

// cutTable splits the name of an archive of one table, site-Table or Table without
// its suffix. The table is "" for any other name.
func cutTable(name string) (site, table string) {
	table = name
	if i := strings.LastIndexByte(name, '-'); i >= 0 {
		site, table = name[:i], name[i+1:]
	}
	known := []string{"Users", "Badges", "PostHistory"} // tables of a dump that are not read
	for _, t := range schema.Tables() {
		known = append(known, t.Name)
	}
	for _, t := range known {
		if strings.EqualFold(t, table) {
			return site, t
		}
	}
	return "", ""
}

// tableOf returns the table in the file or archive member named name, which ends
// with suffix: "Posts" for posts.xml.
func tableOf(name string, wanted []string, suffix string) (string, bool) {
	for _, t := range wanted {
		if strings.EqualFold(name, t+suffix) {
			return t, true
		}
	}
	return "", false
}

func isSevenZip(name string) bool { return strings.EqualFold(filepath.Ext(name), ".7z") }

// isUnread reports whether a file is in a format in which dumps circulate and that
// is not read.
func isUnread(name string) bool {
	name = strings.ToLower(name)
	suffixes := []string{".zip", ".rar", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst"}
	return isPart(name) || slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) })
}

// isPart reports whether a file is part of a split .7z archive, as site.7z.001.
func isPart(name string) bool {
	ext := filepath.Ext(name)
	return len(ext) == len(".001") && strings.Trim(ext, ".0123456789") == "" && isSevenZip(strings.TrimSuffix(name, ext))
}
