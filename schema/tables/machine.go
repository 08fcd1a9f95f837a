package tables

import (
	"os/exec"

	"s2g/schema"
)

// MachineMemory returns what this process may use of the machine's memory, in
// bytes: all of it, or the limit of its cgroup; 0 where that is not known.
func MachineMemory() int64 { return machineMemory("/proc", "/sys/fs/cgroup") }

// Installed returns the path and version of the MariaDB server that a private
// server would be. The error says what is missing and how to get it.
func Installed() (path, version string, err error) {
	p, err := findProgram()
	if err != nil {
		return "", "", err
	}
	out, err := exec.Command(p.Server, "--no-defaults", "--version").Output()
	if err != nil {
		return "", "", schema.Faultf(schema.FaultUsage, "reinstall it", "asking %s for its version: %w", p.Server, err)
	}
	return p.Server, programVersion(string(out)), nil
}
