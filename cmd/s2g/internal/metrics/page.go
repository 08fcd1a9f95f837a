package metrics

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// help has the names of all metrics, with what they say. All are gauges: a run
// does not know those before it.
var help = map[string]string{
	"s2g_build_info": "The program that wrote this file; always 1.",

	"s2g_last_run_timestamp_seconds":     "When the command last ended.",
	"s2g_last_run_duration_seconds":      "How long the command last took.",
	"s2g_last_run_exit_code":             "Exit code of the last run: 0 done, 1 fault of s2g, 2 usage or resources, 3 bad input, 4 a service failed, 5 verification failed, 130 interrupted.",
	"s2g_last_success_timestamp_seconds": "When the command last ended with exit code 0.",
	"s2g_last_failure_timestamp_seconds": "When the command last ended with another exit code.",

	"s2g_dump_bytes":                         "Size of the dump's tables as XML.",
	"s2g_dump_newest_post_timestamp_seconds": "Creation date of the newest post in the dump.",

	"s2g_stage_finished_timestamp_seconds": "When the stage finished that the build is of.",
	"s2g_stage_duration_seconds":           "How long the stage took.",
	"s2g_stage_rows":                       "Rows that the stage made: of tables, quads, or points.",
	"s2g_stage_read_bytes":                 "Bytes that the stage read.",
	"s2g_stage_written_bytes":              "Bytes that the stage wrote.",
	"s2g_stage_peak_memory_bytes":          "Largest resident memory of s2g in the stage.",
	"s2g_stage_database_peak_memory_bytes": "Largest resident memory of the private MariaDB up to the stage's end.",
	"s2g_stage_rejected_rows":              "Bad data of the stage by class.",
	"s2g_stage_up_to_date":                 "Whether the last run that asked for the stage had nothing to do in it.",
	"s2g_verify_compared":                  "Things that the last verification compared, by check.",
	"s2g_verify_different":                 "Whether the last verification found a difference, by check.",
}

// page is the content of a file: metrics by name.
type page map[string]*dto.MetricFamily

// read reads a file that was written before; an empty page where there is none.
func read(path string) (page, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return page{}, nil
	}
	if err != nil {
		return nil, err
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	return page(families), err
}

// set gives a series its value. Labels are names and values in turn.
func (p page) set(name string, value float64, labels ...string) {
	f := p[name]
	if f == nil {
		f = &dto.MetricFamily{Name: new(name), Help: new(help[name]), Type: dto.MetricType_GAUGE.Enum()}
		p[name] = f
	}
	m := &dto.Metric{Gauge: &dto.Gauge{Value: &value}}
	for i := 0; i+1 < len(labels); i += 2 {
		m.Label = append(m.Label, &dto.LabelPair{Name: &labels[i], Value: &labels[i+1]})
	}
	slices.SortFunc(m.Label, func(a, b *dto.LabelPair) int { return cmp.Compare(a.GetName(), b.GetName()) })
	f.Metric = append(f.Metric, m)
}

// drop takes series out of the metrics whose names begin with prefix: those that
// have all the labels.
func (p page) drop(prefix string, labels ...string) {
	for name, f := range p {
		if len(name) < len(prefix) || name[:len(prefix)] != prefix {
			continue
		}
		f.Metric = slices.DeleteFunc(f.Metric, func(m *dto.Metric) bool { return has(m, labels) })
		if len(f.Metric) == 0 {
			delete(p, name)
		}
	}
}

// keep takes all series out that are not of the run: the file had another name.
func (p page) keep(run string) {
	for name, f := range p {
		f.Metric = slices.DeleteFunc(f.Metric, func(m *dto.Metric) bool { return !has(m, []string{"run", run}) })
		if len(f.Metric) == 0 || help[name] == "" {
			delete(p, name)
		}
	}
}

func has(m *dto.Metric, labels []string) bool {
	for i := 0; i+1 < len(labels); i += 2 {
		if !slices.ContainsFunc(m.Label, func(l *dto.LabelPair) bool { return l.GetName() == labels[i] && l.GetValue() == labels[i+1] }) {
			return false
		}
	}
	return true
}

// write writes the page in Prometheus' text format, ordered, so that a file can be
// compared with another.
func (p page) write(w io.Writer) error {
	for _, name := range slices.Sorted(maps.Keys(p)) {
		f := p[name]
		slices.SortFunc(f.Metric, func(a, b *dto.Metric) int {
			return slices.CompareFunc(a.Label, b.Label, func(x, y *dto.LabelPair) int {
				return cmp.Or(cmp.Compare(x.GetName(), y.GetName()), cmp.Compare(x.GetValue(), y.GetValue()))
			})
		})
		if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}
