package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/commandline"
	"s2g/schema"
	"s2g/schema/manifest"
)

// A command takes each option from its flag where that is given, else
// from the build, else from the flag's default.
func TestCommandTakesAnOptionFromItsFlagElseTheBuildElseTheDefault(t *testing.T) {
	defaults := manifest.Options{Units: "question", Window: 512, Overlap: 64, Dense: "builtin", Sparse: "bm25", Compress: "gzip", GraphFormat: "trig"}
	with := func(o manifest.Options, change func(*manifest.Options)) manifest.Options {
		change(&o)
		return o
	}
	tests := []struct {
		name string
		of   manifest.Options // of the build
		args []string
		want manifest.Options
	}{
		{"nothing was set", manifest.Options{}, nil, defaults},
		{"units alone", manifest.Options{}, []string{"--units", "question,answer"}, with(defaults, func(o *manifest.Options) { o.Units = "question,answer" })},
		{"no overlap", manifest.Options{}, []string{"--overlap", "0"}, with(defaults, func(o *manifest.Options) { o.Overlap = 0 })},
		{"graph alone was made", manifest.Options{Compress: "zstd", Other: true}, []string{"--window", "200"},
			with(defaults, func(o *manifest.Options) { o.Compress, o.Other, o.Window = "zstd", true, 200 })},
		{"the build's", with(defaults, func(o *manifest.Options) { o.Overlap, o.Window = 0, 300 }), []string{"--units", "question,answer"},
			with(defaults, func(o *manifest.Options) { o.Overlap, o.Window, o.Units = 0, 300, "question,answer" })},
		{"whole site instead of the default table", with(defaults, func(o *manifest.Options) { o.Languages = schema.DefaultLanguages() }), []string{"--whole-site"},
			with(defaults, func(o *manifest.Options) { o.WholeSite = true })},
		{"whole site beside chosen languages", with(defaults, func(o *manifest.Options) { o.Languages = schema.DefaultLanguages()[:2] }), []string{"--whole-site"},
			with(defaults, func(o *manifest.Options) { o.WholeSite, o.Languages = true, schema.DefaultLanguages()[:2] })},
		{"the build's whole site", with(defaults, func(o *manifest.Options) { o.WholeSite = true }), nil, with(defaults, func(o *manifest.Options) { o.WholeSite = true })},
		{"the default's", with(defaults, func(o *manifest.Options) { o.Overlap, o.Other, o.Compress = 10, true, "none" }), []string{"--overlap", "default", "--other=", "--compress="}, defaults},
		{"never a build to reuse", with(defaults, func(o *manifest.Options) { o.Reuse = "old" }), nil, defaults},
		{"the flag's", with(defaults, func(o *manifest.Options) { o.Overlap = 10 }), []string{"--overlap", "20"}, with(defaults, func(o *manifest.Options) { o.Overlap = 20 })},
	}
	for _, tt := range tests {
		var o options
		f := pflag.NewFlagSet("stage", pflag.ContinueOnError)
		o.languageFlags(f)
		o.graphFlags(f)
		o.vectorFlags(f)
		commandline.MakeResettable(f, build.Sticky())
		if err := f.Parse(tt.args); err != nil {
			t.Fatal(err)
		}
		if err := o.Inherit(&manifest.Manifest{Options: tt.of}, f.Changed); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, o.Shape); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
