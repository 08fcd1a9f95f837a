package tables

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"s2g/schema"
	"s2g/schema/private"
)

// The files of a private server in OUT/.s2g.
const (
	dataDir  = "db"
	tempDir  = "db.tmp"       // sorts and temporary tables that exceed the memory
	logFile  = "ib_logfile0"  // in dataDir: the redo log
	errorLog = "error.log"    // in dataDir
	pidFile  = "mariadbd.pid" // in dataDir
)

// maxErrorLog is the size in bytes above which a start removes the error log.
const maxErrorLog = 1 << 20

// loggedLines is the number of last lines of the error log in an error.
const loggedLines = 8

// logTail returns the last lines of the error log of dir's server.
func logTail(dir string) string {
	b, err := schema.ReadRegular(filepath.Join(dir, dataDir, errorLog))
	if err != nil {
		return "(no error log)"
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-loggedLines):], "\n")
}

// readPID returns the process id of dir's server, 0 where it does not run.
func readPID(dir string) int {
	text, _ := schema.ReadRegular(filepath.Join(dir, dataDir, pidFile))
	pid, _ := strconv.Atoi(string(bytes.TrimSpace(text)))
	return pid
}

// program is an installed MariaDB server: the paths of mariadbd, of
// mariadb-install-db, and of the installation.
type program struct{ Server, Install, Base string }

// Installed returns the path and version of the MariaDB server that Open starts.
// Its error is a usage fault with the way to install it.
func Installed() (path, version string, err error) {
	p, err := findProgram()
	if err != nil {
		return "", "", err
	}
	if version, err = p.version(); err != nil {
		return "", "", err
	}
	return p.Server, version, nil
}

// installRemedy is the remedy where no usable server is installed.
const installRemedy = "install it (Debian: apt install mariadb-server), or name a server of yours with option dsn"

// findProgram searches PATH, and the folders where packages put servers outside
// the PATH of ordinary users.
func findProgram() (program, error) {
	p := program{Server: lookFor([]string{"mariadbd", "mysqld"},
		"/usr/sbin", "/usr/local/sbin", "/usr/libexec", "/usr/local/libexec", "/usr/bin", "/usr/local/bin",
		"/usr/local/mysql/bin", "/usr/local/mariadb/bin", "/opt/mariadb/bin", "/opt/homebrew/bin")}
	if p.Server == "" {
		return p, schema.Faultf(schema.FaultUsage, installRemedy, "no MariaDB server (mariadbd) is installed")
	}
	version, err := p.version()
	if err != nil {
		return p, err
	}
	if err := checkVersion(version); err != nil {
		return p, fmt.Errorf("%s: %w", p.Server, err)
	}
	real, err := filepath.EvalSymlinks(p.Server)
	if err != nil {
		return p, fmt.Errorf("finding the server: %w", err)
	}
	p.Base = filepath.Dir(filepath.Dir(real))
	p.Install = lookFor([]string{"mariadb-install-db", "mysql_install_db"},
		filepath.Join(p.Base, "bin"), filepath.Join(p.Base, "scripts"), "/usr/bin", "/usr/local/bin")
	if p.Install == "" {
		return p, schema.Faultf(schema.FaultUsage, installRemedy, "%s is installed without mariadb-install-db", p.Server)
	}
	return p, nil
}

// version runs the server with --version.
func (p program) version() (string, error) {
	cmd := exec.Command(p.Server, "--no-defaults", "--version")
	cmd.Env = private.Environment()
	out, err := cmd.Output()
	if err != nil {
		return "", schema.Faultf(schema.FaultUsage, installRemedy, "running %s --version: %w", p.Server, err)
	}
	return programVersion(string(out)), nil
}

// programVersion returns the version in `mariadbd  Ver 10.11.6-MariaDB for Linux on x86_64`.
func programVersion(out string) string {
	_, v, _ := strings.Cut(out, " Ver ")
	v, _, _ = strings.Cut(strings.TrimSpace(v), " ")
	return v
}

// mariaVersion matches the version of a MariaDB. Some proxies put 5.5.5- before it.
var mariaVersion = regexp.MustCompile(`^(?:5\.5\.5-)?(\d+)\.(\d+)\.\d+.*MariaDB`)

// checkVersion returns a usage fault where a version, of VERSION() or of
// `mariadbd --version`, is not that of MariaDB 10.6 or newer.
func checkVersion(version string) error {
	const remedy = "use MariaDB 10.6 or newer (Debian: apt install mariadb-server)"
	m := mariaVersion.FindStringSubmatch(version)
	if m == nil {
		return schema.Faultf(schema.FaultUsage, remedy, "the server is not MariaDB but %q", version)
	}
	major, _ := strconv.Atoi(m[1]) // digits only, and too many for an int are no version below 10
	minor, _ := strconv.Atoi(m[2])
	if major < 10 || major == 10 && minor < 6 {
		return schema.Faultf(schema.FaultUsage, remedy, "MariaDB %d.%d is too old", major, minor)
	}
	return nil
}

// lookFor returns the first of names that is on PATH or in one of dirs, as a path.
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

// initialise creates the datadir of o.Dir, with an empty database, if it is
// missing. The script, which inherits held, fills another folder, which is then
// renamed: an interrupted initialisation is repeated.
func (p program) initialise(o order, held *os.File) error {
	data := filepath.Join(o.Dir, dataDir)
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
	// --tmpdir: a starting server removes all temporary tables in the folder, and fails if another server removes one first, as in /tmp.
	// Paths are relative, because the script splits them at spaces.
	// --force: the script continues where the system cannot resolve its own host name.
	args := append([]string{"--no-defaults", "--basedir=" + p.Base, "--datadir=.", "--tmpdir=" + filepath.Join("..", tempDir),
		"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve",
		"--innodb-log-file-size=" + strconv.FormatInt(o.log, 10), "--force"}, asRoot()...)
	for _, s := range systemSettings() {
		args = append(args, s.argument())
	}
	cmd := exec.Command(p.Install, args...)
	cmd.Dir = fresh
	cmd.Env = private.Environment()
	cmd.ExtraFiles = []*os.File{held}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("creating the datadir with %s: %w: %s", p.Install, err, errorLines(out.String()))
	}
	if err := os.Chmod(fresh, 0o700); err != nil { // the script may have changed it
		return err
	}
	// A folder is a database, with the server's character set. A read-only server creates none.
	if err := os.Mkdir(filepath.Join(fresh, privateDatabase), 0o700); err != nil {
		return err
	}
	return os.Rename(fresh, data)
}

// errorLines returns the lines with errors of an output, or all of it where it
// marks none.
func errorLines(output string) string {
	var marked []string
	for line := range strings.Lines(output) {
		if strings.Contains(line, "ERROR") {
			marked = append(marked, strings.TrimSpace(line))
		}
	}
	if len(marked) == 0 {
		return strings.TrimSpace(output)
	}
	return strings.Join(marked, "\n")
}

// command returns the command that runs a server for o.Access at o.Socket. The
// server inherits held.
func (p program) command(o order, held *os.File) *exec.Cmd {
	data := filepath.Join(o.Dir, dataDir)
	log := filepath.Join(data, errorLog)
	if info, err := os.Stat(log); err == nil && info.Size() > maxErrorLog {
		_ = os.Remove(log)
	}
	args := []string{"--no-defaults", "--basedir=" + p.Base, "--datadir=" + data, "--tmpdir=" + filepath.Join(o.Dir, tempDir),
		"--socket=" + o.Socket, "--log-error=" + log, "--pid-file=" + filepath.Join(data, pidFile)}
	for _, s := range settings(o) {
		args = append(args, s.argument())
	}
	cmd := exec.Command(p.Server, append(args, asRoot()...)...)
	cmd.Dir = data
	cmd.Env = private.Environment()
	cmd.ExtraFiles = []*os.File{held}
	cmd.SysProcAttr = diesWithParent()
	return cmd
}

// asRoot returns the option without which MariaDB refuses to run as root.
func asRoot() []string {
	if os.Getuid() == 0 {
		return []string{"--user=root"}
	}
	return nil
}
