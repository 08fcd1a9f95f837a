package memory

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

func TestMachineIsTheLowestLimit(t *testing.T) {
	const total = "MemTotal:       16777216 kB\nMemFree: 1 kB\n" // 16 GiB
	cases := []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing known", nil, 0},
		{"no limit", map[string]string{"proc/meminfo": total, "proc/self/cgroup": "0::/\n", "cgroup/memory.max": "max\n"}, 16 << 30},
		{"version 2", map[string]string{"proc/meminfo": total, "proc/self/cgroup": "0::/a/b\n", "cgroup/a/b/memory.max": "max", "cgroup/a/memory.max": "4294967296\n"}, 4 << 30},
		{"version 2, in a container", map[string]string{"proc/meminfo": total, "proc/self/cgroup": "0::/../outside\n", "cgroup/memory.max": "1073741824\n"}, 1 << 30},
		{"version 1", map[string]string{"proc/meminfo": total, "proc/self/cgroup": "5:cpu:/x\n4:memory:/job\n0::/\n",
			"cgroup/memory/job/memory.limit_in_bytes": "2147483648", "cgroup/memory/memory.limit_in_bytes": "9223372036854771712"}, 2 << 30},
		{"a limit above the machine's memory", map[string]string{"proc/meminfo": total, "proc/self/cgroup": "0::/\n", "cgroup/memory.max": "99999999999999"}, 16 << 30},
		{"damaged", map[string]string{"proc/meminfo": "MemTotal: many kB\n", "proc/self/cgroup": "?\n:\n"}, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range c.files {
				path := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got := machine(filepath.Join(root, "proc"), filepath.Join(root, "cgroup")); got != c.want {
				t.Errorf("%d bytes, want %d", got, c.want)
			}
		})
	}
}

func TestAvailable(t *testing.T) {
	for meminfo, want := range map[string]int64{"MemTotal: 1000 kB\nMemAvailable: 600 kB\n": 600 << 10, "MemAvailable: 900 kB\n": 800 << 10, "MemTotal: 1000 kB\n": 800 << 10} {
		proc := t.TempDir()
		if err := os.WriteFile(filepath.Join(proc, "meminfo"), []byte(meminfo), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := available(proc, 800<<10); got != want {
			t.Errorf("%q: %d bytes, want %d", meminfo, got, want)
		}
	}
}

func TestLimitKeepsALowerOne(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	debug.SetMemoryLimit(1 << 40)
	restore := Limit(1 << 39)
	if now := debug.SetMemoryLimit(-1); now != 1<<39 {
		t.Errorf("the limit is %d", now)
	}
	Limit(1 << 41)()
	if now := debug.SetMemoryLimit(-1); now != 1<<39 {
		t.Errorf("a higher limit has changed it to %d", now)
	}
	restore()
	if now := debug.SetMemoryLimit(-1); now != 1<<40 {
		t.Errorf("afterwards it is %d", now)
	}
}

func TestPeakCoversThisProcess(t *testing.T) {
	ResetPeak()
	touched := make([]byte, 64<<20)
	for i := range touched {
		touched[i] = 1
	}
	if self, other := Peak(), PeakOf(os.Getpid()); self < 64<<20 || other < self {
		t.Errorf("%d bytes, as another process %d", self, other)
	}
	if PeakOf(1<<30) != 0 {
		t.Error("a process that does not exist has a peak")
	}
}
