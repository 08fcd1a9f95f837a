package dump

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"s2g/schema"
)

// folder returns what a folder holds: files of tables, archives of a site or a
// table, and, with subfolders, the folders of sites.
func (f *finder) folder(dir, site string, subfolders bool) ([]candidate, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, inputError(context.Background(), dir, err)
	}
	var all []candidate
	var folders []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path) // not e.Info: a dump may be a folder of links
		switch {
		case errors.Is(err, fs.ErrNotExist): // a link to nothing
		case err != nil:
			return nil, inputError(context.Background(), path, err)
		case strings.HasPrefix(e.Name(), "."):
		case info.IsDir():
			folders = append(folders, path)
		case isSevenZip(path):
			all = append(all, f.sevenZip(newFile(path, info), site)...)
		case isOther(path):
			f.others = append(f.others, path)
		default:
			all = append(all, f.document(newFile(path, info), site)...)
		}
	}
	if !subfolders {
		return all, nil
	}
	direct := len(all) > 0
	for _, path := range folders {
		name := siteOf(path)
		if name == "" && direct {
			continue // a folder with a dump in it may hold anything else
		}
		if name == "" {
			name = strings.ToLower(filepath.Base(path))
		}
		sub, err := f.folder(path, name, false)
		if err != nil {
			return nil, err
		}
		all = append(all, sub...)
	}
	return all, nil
}

// document returns the file of a table, if it is one.
func (f *finder) document(file File, site string) []candidate {
	for _, c := range codecs() {
		if table, ok := tableOf(file.Name, f.wanted, c.suffix); ok {
			return []candidate{{site: site, stream: f.fileStream(file, table, c)}}
		}
	}
	return nil
}

// sevenZip returns an archive of a folder: that of a site, or of one of its
// tables if that is wanted.
func (f *finder) sevenZip(file File, site string) []candidate {
	host, table := cutTable(strings.TrimSuffix(strings.ToLower(file.Name), ".7z"))
	if named := siteOf(file.Name); named != "" {
		site = named
	} else if host != "" {
		site = host
	}
	switch {
	case table == "":
		return []candidate{f.archive(file, site, f.wanted)}
	case slices.Contains(f.wanted, table):
		return []candidate{f.archive(file, site, []string{table})}
	}
	return nil
}

// otherSuffixes are those of formats that dumps are passed on in and that are
// not read.
func otherSuffixes() []string {
	return []string{".zip", ".rar", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst"}
}

func isOther(name string) bool {
	name = strings.ToLower(name)
	return isPart(name) || slices.ContainsFunc(otherSuffixes(), func(s string) bool { return strings.HasSuffix(name, s) })
}

// isPart reports whether a file is part of an archive that was split.
func isPart(name string) bool {
	ext := filepath.Ext(name)
	return len(ext) == len(".001") && strings.Trim(ext, ".0123456789") == "" && isSevenZip(strings.TrimSuffix(name, ext))
}

// refuse is the error of a file that holds a dump in a form that is not read.
func (f *finder) refuse(path string) error {
	name := strings.ToLower(path)
	switch {
	case isPart(name):
		whole := strings.TrimSuffix(path, filepath.Ext(path))
		return schema.Faultf(schema.FaultInput, fmt.Sprintf("join the parts: cat %s.* > %s", whole, whole), "%s is part of a split archive", path)
	case isOther(name):
		return schema.Faultf(schema.FaultInput, "unpack it and give --dump the folder", "%s is an archive of a kind that is not read", path)
	case len(f.document(File{Name: filepath.Base(path)}, "")) > 0:
		return schema.Faultf(schema.FaultInput, "give --dump the folder that it is in", "dump %s is one table of several", path)
	}
	return schema.Faultf(schema.FaultInput, "give --dump a folder of .xml files or a .7z archive", "dump %s is neither a folder nor a .7z archive", path)
}

// siteOf guesses a site's host from the path of its folder or archive.
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
		return "" // every site of the network is one of these; dump.v2 is none
	}
	return name
}

// cutTable cuts the name of an archive of one table, site-Table or Table without
// its suffix, in two. The table is "" if it is another name.
func cutTable(name string) (site, table string) {
	table = name
	if i := strings.LastIndexByte(name, '-'); i >= 0 {
		site, table = name[:i], name[i+1:]
	}
	for _, t := range schema.Tables() {
		if strings.EqualFold(t.Name, table) {
			return site, t.Name
		}
	}
	for _, t := range unused() {
		if strings.EqualFold(t, table) {
			return site, t
		}
	}
	return "", ""
}

// unused are the tables of a dump that are not read.
func unused() []string { return []string{"Users", "Badges", "PostHistory"} }

// tableOf returns the table that a file or archive member named name holds,
// given the suffix that follows the table's name, as "Posts" for posts.xml.
func tableOf(name string, wanted []string, suffix string) (string, bool) {
	for _, t := range wanted {
		if strings.EqualFold(name, t+suffix) {
			return t, true
		}
	}
	return "", false
}

// choose returns the candidates of the site that was asked for or, if none was,
// of the only one, with its host if that is known. What no name gives to a site
// is then taken for the site's as well.
func (f *finder) choose(all []candidate) (host string, chosen []candidate, err error) {
	var sites []string
	site := strings.ToLower(f.o.Site)
	known := false // the site that was asked for, or perhaps
	for _, c := range all {
		if c.site != "" && !slices.Contains(sites, c.site) {
			sites = append(sites, c.site)
		}
		known = known || c.site == site || c.mayHold()
	}
	slices.Sort(sites)
	switch {
	case site != "" && !known:
		return "", nil, f.noSuchSite(sites)
	case site == "" && len(sites) > 1:
		return "", nil, schema.Faultf(schema.FaultUsage, "choose one of them, as with --dump-site "+sites[0],
			"dump %s holds several sites: %s", f.path, enumerate(sites))
	case site == "" && len(sites) == 1:
		site = sites[0]
	}
	for _, c := range all {
		if c.site == site || c.site == "" && f.o.Site == "" || c.mayHold() {
			chosen = append(chosen, c)
		}
	}
	if site == "" {
		return "", chosen, nil
	}
	return siteOf(site), chosen, nil
}

// mayHold reports whether what a candidate holds, once it is expanded, may have
// the names of sites.
func (c candidate) mayHold() bool { return c.site == "" && c.expand != nil }

func (f *finder) noSuchSite(sites []string) error {
	if len(sites) == 0 {
		return schema.Faultf(schema.FaultUsage, "leave --dump-site out: it chooses among several sites",
			"dump %s is not known to hold site %s", f.path, f.o.Site)
	}
	return schema.Faultf(schema.FaultUsage, "choose one of them, as with --dump-site "+sites[0],
		"dump %s does not hold site %s but %s", f.path, f.o.Site, enumerate(sites))
}

// enumerate names the first of a list that may have hundreds.
func enumerate(names []string) string {
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
