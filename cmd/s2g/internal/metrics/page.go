package metrics

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"s2g/schema"
)

// help has the names of all metrics with their meaning. All are gauges, because no run adds to an earlier value.
var help = map[string]string{
	"s2g_build_info": "The program that wrote this file; always 1.",

	"s2g_last_run_timestamp_seconds":     "When the command last ended.",
	"s2g_last_run_duration_seconds":      "How long the command last took.",
	"s2g_last_run_exit_code":             "Exit code of the last run: 0 done, 1 fault of s2g, 2 usage or resources, 3 bad input, 4 a service failed, 5 verification failed, 130 interrupted.",
	"s2g_last_success_timestamp_seconds": "When the command last ended with exit code 0.",
	"s2g_last_failure_timestamp_seconds": "When the command last ended with another exit code.",

	"s2g_dump_bytes":                         "Size of the dump's tables as XML.",
	"s2g_dump_newest_post_timestamp_seconds": "Creation date of the newest post in the dump.",

	"s2g_stage_finished_timestamp_seconds": "When the stage of the build finished.",
	"s2g_stage_duration_seconds":           "How long the stage took.",
	"s2g_stage_rows":                       "Rows that the stage made: of tables, quads, or points.",
	"s2g_stage_read_bytes":                 "Bytes that the stage read.",
	"s2g_stage_written_bytes":              "Bytes that the stage wrote.",
	"s2g_stage_peak_memory_bytes":          "Largest resident memory of s2g in the stage.",
	"s2g_stage_database_peak_memory_bytes": "Largest resident memory of the private MariaDB up to the stage's end.",
	"s2g_stage_rejected_rows":              "Bad data of the stage by class.",
	"s2g_stage_up_to_date":                 "Whether the stage was up to date in the last run that included it.",
	"s2g_verify_compared":                  "Number of items that the last verification compared, by check.",
	"s2g_verify_different":                 "Whether the last verification found a difference, by check.",
}

// page is the content of a file: values by the metric's name and the series' labels. Labels are sorted and written as in
// the file.
type page map[string]map[string]float64

// sample matches a line of a series: a name, labels and a value. Names and escapes are those of the text format; see
// [page.text].
var sample = regexp.MustCompile(`^([a-z0-9_]+)\{((?:[a-z]+="(?:[^"\\]|\\["\\n])*",?)+)\} (\S+)$`)

// read reads a file of [Write]. A missing file gives an empty page; a file of another form is an error.
func read(path string) (page, error) {
	text, err := schema.ReadRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return page{}, nil
	}
	if err != nil {
		return nil, err
	}
	p := page{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		match := sample.FindStringSubmatch(lines.Text())
		if match == nil {
			return nil, fmt.Errorf("%s: not a sample: %q", path, lines.Text())
		}
		value, err := strconv.ParseFloat(match[3], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		p.put(match[1], match[2], value)
	}
	return p, lines.Err()
}

// set stores the value of a series. Labels are names and values in turn.
func (p page) set(name string, value float64, labels ...string) {
	list := pairs(labels)
	slices.Sort(list)
	p.put(name, strings.Join(list, ","), value)
}

func (p page) put(name, labels string, value float64) {
	if p[name] == nil {
		p[name] = map[string]float64{}
	}
	p[name][labels] = value
}

// drop removes the series with all of the given labels from the metrics whose names begin with prefix.
func (p page) drop(prefix string, labels ...string) {
	for name, series := range p {
		if strings.HasPrefix(name, prefix) {
			maps.DeleteFunc(series, func(of string, _ float64) bool { return has(of, labels) })
		}
	}
}

// keepRun removes the series of other runs, which a renamed file holds, and metrics that no longer exist.
func (p page) keepRun(run string) {
	for name, series := range p {
		maps.DeleteFunc(series, func(of string, _ float64) bool { return help[name] == "" || !has(of, []string{"run", run}) })
	}
}

// has reports whether the labels of a series include the given ones. The escaped quotes of a value keep it distinct from
// a label.
func has(series string, labels []string) bool {
	for _, label := range pairs(labels) {
		if !strings.Contains(","+series+",", ","+label+",") {
			return false
		}
	}
	return true
}

// escaper escapes label values.
var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// pairs writes labels, which are names and values in turn, as in the file.
func pairs(labels []string) (list []string) {
	for i := 0; i+1 < len(labels); i += 2 {
		list = append(list, labels[i]+`="`+escaper.Replace(labels[i+1])+`"`)
	}
	return list
}

// text returns the page in Prometheus' text-based exposition format, version 0.0.4
// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format): HELP and TYPE before the series of
// a metric; in a label value backslash, double quote and line feed are escaped as \\, \" and \n; a value is a float as
// Go's strconv writes it; the last line ends with a line feed. The order is fixed, so that files can be compared.
func (p page) text() []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if len(p[name]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n", name, help[name], name)
		for _, labels := range slices.Sorted(maps.Keys(p[name])) {
			fmt.Fprintf(&b, "%s{%s} %s\n", name, labels, strconv.FormatFloat(p[name][labels], 'g', -1, 64))
		}
	}
	return b.Bytes()
}
