package dump

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"s2g/schema"
)

// A finder is one call of Find.
type finder struct {
	path   string
	wanted []string // names of tables
	o      Options
	unread []string // files that may hold tables in a format that is not read
}

// A candidate is a stream, or an archive whose streams expand lists once the
// archive is chosen.
type candidate struct {
	site   string // of its tables, "" if no name contains one
	stream *Stream
	expand func() ([]candidate, error)
}

// mayHoldSites reports whether the names inside a candidate may contain sites.
func (c candidate) mayHoldSites() bool { return c.site == "" && c.expand != nil }

// find returns the host of the site, "" if it is unknown, and its streams.
func (f *finder) find() (host string, found []candidate, err error) {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, schema.Faultf(schema.FaultInput, "give option dump the folder or archive of one site", "dump %s does not exist", f.path)
	}
	if err != nil {
		return "", nil, fmt.Errorf("find the dump: %w", err)
	}
	var all []candidate
	switch {
	case info.IsDir():
		if all, err = f.folder(f.path, siteOf(f.path), true); err == nil {
			_, all, err = f.choose(all) // so that archives of other sites are not opened
		}
	case !info.Mode().IsRegular():
		err = schema.CheckRegular(f.path, info)
	case isSevenZip(f.path):
		all = []candidate{f.archive(newFile(f.path, info), siteOf(f.path), f.wanted)}
	default:
		err = f.unreadError(f.path)
	}
	if err != nil {
		return "", nil, err
	}
	var streams []candidate
	for _, c := range all {
		if c.expand == nil {
			streams = append(streams, c)
			continue
		}
		expanded, err := c.expand()
		if err != nil {
			return "", nil, err
		}
		streams = append(streams, expanded...)
	}
	return f.choose(streams)
}

// folder returns what a folder holds: files of tables, archives of a site or a
// table, and, with subfolders, what the folders of sites hold.
func (f *finder) folder(dir, site string, subfolders bool) ([]candidate, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, inputError(dir, err)
	}
	if marked, err := markedSite(dir); err != nil {
		return nil, err
	} else if marked != "" {
		site = marked
	}
	var all []candidate
	var folders []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path) // not e.Info: a dump may be a folder of symbolic links
		switch {
		case errors.Is(err, fs.ErrNotExist): // a broken link
		case err != nil:
			return nil, inputError(path, err)
		case strings.HasPrefix(e.Name(), "."):
		case info.IsDir():
			folders = append(folders, path)
		case isSevenZip(path):
			if tables, site := f.archiveTables(e.Name(), site); len(tables) > 0 {
				if err := schema.CheckRegular(path, info); err != nil {
					return nil, err
				}
				all = append(all, f.archive(newFile(path, info), site, tables))
			}
		case isUnread(path):
			f.unread = append(f.unread, path)
		default:
			found := f.document(newFile(path, info), site)
			if len(found) > 0 {
				if err := schema.CheckRegular(path, info); err != nil {
					return nil, err
				}
			}
			all = append(all, found...)
		}
	}
	if !subfolders {
		return all, nil
	}
	direct := len(all) > 0
	for _, path := range folders {
		name := siteOf(path)
		if name == "" && direct {
			continue // a folder with a dump in it may hold any other folder
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

// document returns the stream of a file that is a table, else nothing.
func (f *finder) document(file File, site string) []candidate {
	for _, c := range codecs() {
		if table, ok := tableOf(file.Name, f.wanted, c.suffix); ok {
			return []candidate{{site: site, stream: f.fileStream(file, table, c)}}
		}
	}
	return nil
}

// archiveTables returns the wanted tables of an archive by its name, and their
// site: site-Table.7z holds one table, any other archive all tables of a site.
// outer is the site of the folder or archive around it.
func (f *finder) archiveTables(name, outer string) (tables []string, site string) {
	host, table := cutTable(strings.TrimSuffix(strings.ToLower(name), ".7z"))
	site = outer
	if named := siteOf(name); named != "" {
		site = named
	} else if host != "" {
		site = host
	}
	switch {
	case table == "":
		return slices.Clone(f.wanted), site
	case slices.Contains(f.wanted, table):
		return []string{table}, site
	}
	return nil, site
}

// choose returns the candidates of Options.Site or, without it, of the only site,
// and the site's host if it is known. Without Options.Site, candidates of an
// unknown site belong to the chosen one. Archives that may hold sites are always
// among the chosen, since only their members decide.
func (f *finder) choose(all []candidate) (host string, chosen []candidate, err error) {
	var sites []string
	site := strings.ToLower(f.o.Site)
	found := false
	for _, c := range all {
		if c.site != "" && !slices.Contains(sites, c.site) {
			sites = append(sites, c.site)
		}
		found = found || c.site == site || c.mayHoldSites()
	}
	slices.Sort(sites)
	switch {
	case site != "" && !found && len(sites) == 0:
		return "", nil, schema.Faultf(schema.FaultUsage, "leave option dump-site out: it chooses among several sites",
			"dump %s is not known to hold site %s", f.path, f.o.Site)
	case site != "" && !found:
		return "", nil, schema.Faultf(schema.FaultUsage, "choose one of them, as with option dump-site "+sites[0],
			"dump %s does not hold site %s but %s", f.path, f.o.Site, enumerate(sites))
	case site == "" && len(sites) > 1:
		return "", nil, schema.Faultf(schema.FaultUsage, "choose one of them, as with option dump-site "+sites[0],
			"dump %s holds several sites: %s", f.path, enumerate(sites))
	case site == "" && len(sites) == 1:
		site = sites[0]
	}
	for _, c := range all {
		if c.site == site || c.site == "" && f.o.Site == "" || c.mayHoldSites() {
			chosen = append(chosen, c)
		}
	}
	if site == "" {
		return "", chosen, nil
	}
	return siteOf(site), chosen, nil
}

// enumerate lists the first names of a list that may have hundreds.
func enumerate(names []string) string {
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// checkTables returns a fault if a wanted table is missing or found twice.
func (f *finder) checkTables(streams []*Stream) error {
	found := make(map[string]string)
	for _, s := range streams {
		for _, m := range s.Members {
			if other, twice := found[m.Table]; twice {
				return schema.Faultf(schema.FaultInput, "remove one of them", "dump %s holds table %s twice: %s and %s", f.path, m.Table, other, m.Name)
			}
			found[m.Table] = m.Name
		}
	}
	missing := slices.DeleteFunc(slices.Clone(f.wanted), func(t string) bool { return found[t] != "" })
	if len(missing) > 0 && len(f.unread) > 0 {
		return f.unreadError(f.unread[0])
	}
	return missingError(f.path, missing)
}

// missingError returns the fault of missing tables, nil if there are none.
func missingError(path string, missing []string) error {
	var files, without []string
	for _, t := range missing {
		files = append(files, t+".xml")
		without = append(without, strings.TrimPrefix(strings.ToLower(t), "post"))
	}
	switch {
	case len(missing) == 0:
		return nil
	case slices.Contains(missing, "Posts"):
		return schema.Faultf(schema.FaultInput, "give option dump the folder or archive of one site", "dump %s has no Posts.xml", path)
	}
	return schema.Faultf(schema.FaultInput, "add the file, or build without it: option without "+strings.Join(without, ","),
		"dump %s has no %s", path, strings.Join(files, ", "))
}

// unreadError returns the fault of a file that holds a dump in a format that is not
// read.
func (f *finder) unreadError(path string) error {
	name := strings.ToLower(path)
	switch {
	case isPart(name):
		whole := strings.TrimSuffix(path, filepath.Ext(path))
		return schema.Faultf(schema.FaultInput, fmt.Sprintf("join the parts: cat %s.* > %s", whole, whole), "%s is part of a split archive", path)
	case isUnread(name):
		return schema.Faultf(schema.FaultInput, "unpack it and give option dump the folder", "%s is an archive of a format that is not read", path)
	case len(f.document(File{Name: filepath.Base(path)}, "")) > 0:
		return schema.Faultf(schema.FaultInput, "give option dump the folder that it is in", "dump %s is one table of several", path)
	}
	return schema.Faultf(schema.FaultInput, "give option dump a folder of .xml files or a .7z archive", "dump %s is neither a folder nor a .7z archive", path)
}
