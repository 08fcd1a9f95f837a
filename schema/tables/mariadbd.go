package tables

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"s2g/schema"
)

// What a private server has under OUT/.s2g.
const (
	dataDir  = "db"
	tempDir  = "db.tmp"       // sorts and temporary tables too large for memory
	errorLog = "error.log"    // in the datadir
	pidFile  = "mariadbd.pid" // likewise
)

// maxErrorLog is the size past which the error log of earlier runs is dropped.
const maxErrorLog = 1 << 20

// loggedLines is how many of the error log's last lines an error repeats.
const loggedLines = 8

// logTail returns the end of the server's error log, one line after the other.
func logTail(dir string) string {
	b, err := os.ReadFile(filepath.Join(dir, dataDir, errorLog))
	if err != nil {
		return "(no error log)"
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-loggedLines):], "\n")
}

// program is an installed MariaDB server: the paths of mariadbd, of
// mariadb-install-db, and of the installation.
type program struct{ Server, Install, Base string }

// findProgram looks for a server on PATH and where packages put one that
// ordinary users do not have on theirs.
func findProgram() (program, error) {
	const remedy = "install it (Debian: apt install mariadb-server), or use a server of yours with --dsn"
	server := lookFor([]string{"mariadbd", "mysqld"},
		"/usr/sbin", "/usr/local/sbin", "/usr/libexec", "/usr/local/libexec", "/usr/bin", "/usr/local/bin",
		"/usr/local/mysql/bin", "/usr/local/mariadb/bin", "/opt/mariadb/bin", "/opt/homebrew/bin")
	if server == "" {
		return program{}, schema.Faultf(schema.FaultUsage, remedy, "no MariaDB server (mariadbd) is installed")
	}
	out, err := exec.Command(server, "--no-defaults", "--version").Output()
	if err != nil {
		return program{}, schema.Faultf(schema.FaultUsage, remedy, "asking %s for its version: %w", server, err)
	}
	if err := checkVersion(programVersion(string(out))); err != nil {
		return program{}, fmt.Errorf("%s: %w", server, err)
	}
	real, err := filepath.EvalSymlinks(server)
	if err != nil {
		return program{}, fmt.Errorf("finding the server: %w", err)
	}
	base := filepath.Dir(filepath.Dir(real))
	install := lookFor([]string{"mariadb-install-db", "mysql_install_db"},
		filepath.Join(base, "bin"), filepath.Join(base, "scripts"), "/usr/bin", "/usr/local/bin")
	if install == "" {
		return program{}, schema.Faultf(schema.FaultUsage, remedy, "%s is installed without mariadb-install-db", server)
	}
	return program{server, install, base}, nil
}

// programVersion takes the version out of `mariadbd  Ver 10.11.6-MariaDB for Linux on x86_64`.
func programVersion(out string) string {
	_, v, _ := strings.Cut(out, " Ver ")
	v, _, _ = strings.Cut(strings.TrimSpace(v), " ")
	return v
}

// lookFor returns the first of names that is on PATH or in one of dirs.
func lookFor(names []string, dirs ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
		for _, dir := range dirs {
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return path
			}
		}
	}
	return ""
}

// initialise makes the datadir of dir if there is none. It is made beside its
// place and renamed, so that one that was cut short is made again. held is
// kept open by what it starts.
func (p program) initialise(dir string, held *os.File) error {
	data := filepath.Join(dir, dataDir)
	if _, err := os.Stat(data); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fresh := data + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	if err := os.Mkdir(fresh, 0o700); err != nil {
		return err
	}
	// A server that starts removes the temporary tables it finds, and gives up if another has removed one first: not in /tmp, then.
	// The script asks for the host's own name, which a minimal system cannot look up: --force has it go on.
	args := append([]string{"--no-defaults", "--basedir=" + p.Base, "--datadir=" + fresh, "--tmpdir=" + filepath.Join(dir, tempDir),
		"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve",
		"--innodb-log-file-size=" + logFileSize, "--force"}, asRoot()...)
	cmd := exec.Command(p.Install, args...)
	cmd.ExtraFiles = []*os.File{held}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("making the datadir with %s: %w: %s", p.Install, err, complaints(out.String()))
	}
	if err := os.Chmod(fresh, 0o700); err != nil { // whatever the script has made of it
		return err
	}
	return os.Rename(fresh, data)
}

// complaints picks the errors out of what mariadb-install-db says, or returns
// all of it where none is marked as one.
func complaints(said string) string {
	var marked []string
	for line := range strings.Lines(said) {
		if strings.Contains(line, "ERROR") {
			marked = append(marked, strings.TrimSpace(line))
		}
	}
	if len(marked) == 0 {
		return strings.TrimSpace(said)
	}
	return strings.Join(marked, "\n")
}

// command returns the server's command line. held is kept open by the server.
func (p program) command(dir, socket string, pool int64, held *os.File) *exec.Cmd {
	data := filepath.Join(dir, dataDir)
	log := filepath.Join(data, errorLog)
	if info, err := os.Stat(log); err == nil && info.Size() > maxErrorLog {
		_ = os.Remove(log)
	}
	args := []string{"--no-defaults", "--basedir=" + p.Base, "--datadir=" + data, "--tmpdir=" + filepath.Join(dir, tempDir),
		"--socket=" + socket, "--log-error=" + log, "--pid-file=" + filepath.Join(data, pidFile)}
	args = append(append(args, arguments(pool)...), asRoot()...)
	cmd := exec.Command(p.Server, args...)
	cmd.Dir = data
	cmd.ExtraFiles = []*os.File{held}
	cmd.SysProcAttr = diesWithParent()
	return cmd
}

// asRoot is what MariaDB needs to be told to run as root, which it else refuses.
func asRoot() []string {
	if os.Getuid() == 0 {
		return []string{"--user=root"}
	}
	return nil
}
