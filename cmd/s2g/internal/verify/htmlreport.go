package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/cmd/s2g/internal/report"
	"s2g/cmd/s2g/internal/stats"
	"s2g/schema"
	"s2g/schema/tables"
)

func newReportCheck() *Check {
	c := newCheck("report", "bytes of report.html, rendered again")
	c.remedy = "run s2g report with the same option out, which overwrites it"
	return &c
}

// compareReportSum compares report.html with its SHA-256 in the manifest. A build that ends has a report; stages that
// run alone remove it.
func (v *verifier) compareReportSum() error {
	if v.manifest.Report == "" || v.building {
		return nil
	}
	v.report = newReportCheck()
	has, err := v.readDocument(report.FileName)
	switch sum := sha256.Sum256(has); {
	case err != nil:
		return err
	case has == nil:
		v.report.differ("%s is missing", report.FileName)
	case hex.EncodeToString(sum[:]) != v.manifest.Report && !v.hasTables: // with tables, what differs is named
		v.report.differ("%s has the SHA-256 %x, the manifest lists %s", report.FileName, sum, v.manifest.Report)
	}
	return nil
}

// compareReport renders report.html again, from the counts of the oracle, the tables, the graph's files and
// the manifest, whose times it shows. compareManifest proves what the manifest has beside them.
func (v *verifier) compareReport(ctx context.Context, db *tables.DB, want *oracle.Expected) error {
	has, err := v.readDocument(report.FileName)
	if err != nil || has == nil && v.report == nil {
		return err
	}
	if v.report == nil {
		v.report = newReportCheck()
	}
	c := v.report
	c.Count = int64(len(has))
	if !c.OK {
		return nil
	}
	if len(has) == 0 {
		c.differ("%s is empty, too large, or no regular file", report.FileName)
		return nil
	}
	for _, f := range v.files {
		if f.kind == irregularFile { // a pipe has no end
			c.differ("%s cannot be rendered again: %s is no regular file", report.FileName, f.name)
			return nil
		}
	}
	o := v.manifest.Options
	options := report.Options{
		Out: v.out, Manifest: v.manifest, Site: v.site, Languages: o.Table(), Other: o.Other,
		Stats:   stats.Of(want, stats.Options{Site: v.site, Languages: o.Table(), Other: o.Other, Materialize: o.Materialize}),
		Figures: want.Figures,
	}
	if fresh, err := report.Fresh(options); err != nil || !fresh {
		c.differ("%s is not of this state of the build", report.FileName)
		return nil
	}
	v.progress.begin("report")
	r, err := report.Gather(ctx, db, options)
	if fault, _ := schema.FaultOf(err); err != nil && (ctx.Err() != nil || fault == schema.FaultService) {
		return err
	} else if err != nil { // it reads files of the graph and rejects.jsonl
		c.differ("%s cannot be rendered again: %v", report.FileName, err)
		return nil
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		return err
	}
	if !bytes.Equal(has, page.Bytes()) {
		c.differ("%s, %s", report.FileName, firstDifference(has, page.Bytes()))
	}
	if sum := sha256.Sum256(page.Bytes()); v.manifest.Report != "" && v.manifest.Report != hex.EncodeToString(sum[:]) {
		c.differ("manifest.json: report is %s, it must be %x", v.manifest.Report, sum)
	}
	return nil
}
