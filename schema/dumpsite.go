package schema

// DumpSiteFile is the name of the file by which a folder of a dump may name its
// site. It holds the site's host, as "stackoverflow.com", and takes precedence over
// the name of the folder.
const DumpSiteFile = "s2g-site.txt"
