package tables

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMachineMemory(t *testing.T) {
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
			if got := machineMemory(filepath.Join(root, "proc"), filepath.Join(root, "cgroup")); got != c.want {
				t.Errorf("%d bytes, want %d", got, c.want)
			}
		})
	}
	if got := DefaultMemory(); got < minPool || got > maxPool {
		t.Errorf("default buffer pool: %d bytes", got)
	}
}
