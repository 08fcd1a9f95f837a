package commandline

import (
	"errors"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"s2g/schema"
)

// WorkerCount is the value of --workers: 1 or more, or default.
type WorkerCount struct{ N *int }

// String returns the number, as the help prints it.
func (w WorkerCount) String() string {
	if w.N == nil { // pflag calls it for the zero value, too
		return "0"
	}
	return strconv.Itoa(*w.N)
}

func (WorkerCount) Type() string { return "int" }

// Set parses the value of the flag: 1 or more; empty or default is 0.
func (w WorkerCount) Set(value string) error {
	n, err := strconv.Atoi(value)
	if value == "" || value == "default" {
		n, err = 0, nil
	} else if err != nil || n < 1 {
		return errors.New("give 1 or more, or default")
	}
	*w.N = n
	return err
}

// resettable is the value of a flag whose build keeps it. The empty value and the word default reset it to its default.
type resettable struct {
	pflag.Value
	byDefault string
}

func (v resettable) Set(value string) error {
	if value != "" && value != "default" {
		return v.Value.Set(value)
	}
	if list, several := v.Value.(pflag.SliceValue); several {
		return list.Replace(nil)
	}
	return v.Value.Set(v.byDefault)
}

// MakeResettable lets the empty value and the word default reset the named flags, those that a build keeps.
func MakeResettable(flags *pflag.FlagSet, names []string) {
	for _, name := range names {
		if f := flags.Lookup(name); f != nil {
			f.Value = resettable{f.Value, f.DefValue}
			if f.DefValue == "[]" {
				f.DefValue = "" // which help leaves out
			}
		}
	}
}

// leastPool is the smallest buffer pool in bytes with which MariaDB starts without changing it.
const leastPool = 16 << 20

// ParsePool parses the size of a buffer pool. A number without a unit is refused: it is rarely meant in bytes.
// machine is the memory of the machine, 0 if unknown.
func ParsePool(flag, value string, machine int64) (int64, error) {
	if value == "" || value == "default" {
		return 0, nil
	}
	n, err := humanize.ParseBytes(value)
	switch {
	case err != nil || n > 1<<60:
		return 0, schema.Faultf(schema.FaultUsage, "as 512MiB or 4GiB", "--%s: %q is not a size", flag, value)
	case strings.Trim(value, "0123456789.,_ ") == "":
		return 0, schema.Faultf(schema.FaultUsage, "give it a unit, as 8GiB or 512MiB", "--%s: %q has no unit", flag, value)
	case n < leastPool:
		return 0, schema.Faultf(schema.FaultUsage, "give 16MiB or more, as 512MiB or 4GiB", "--%s: %s is too small a buffer pool", flag, value)
	case machine > 0 && n > uint64(machine):
		return 0, schema.Faultf(schema.FaultUsage, "give less, or leave it out for a quarter of that", "--%s: %s is more than this machine has, %s", flag, value, humanize.IBytes(uint64(machine)))
	}
	return int64(n), nil
}
