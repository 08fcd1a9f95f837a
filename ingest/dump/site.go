package dump

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"s2g/schema"
)

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
