package tables

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/schematest"
)

// userServer is a server with grant tables and TLS that listens on the loopback
// interface.
type userServer struct {
	t    *testing.T
	addr string
	root *DB
}

func newUserServer(t *testing.T) userServer {
	t.Helper()
	p, err := findProgram()
	schematest.Need(t, err == nil, fmt.Sprint(err))
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, tempDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := p.initialise(order{Dir: dir, log: minLog}, nil); err != nil {
		t.Fatal(err)
	}
	cert, key := certificate(t, dir)
	port := schematest.Port(t)
	data, socket := filepath.Join(dir, dataDir), filepath.Join(dir, socketName)
	cmd := exec.Command(p.Server, append([]string{"--no-defaults", "--basedir=" + p.Base, "--datadir=" + data, "--tmpdir=" + filepath.Join(dir, tempDir),
		"--socket=" + socket, "--bind-address=127.0.0.1", "--port=" + port, "--log-error=" + filepath.Join(data, errorLog),
		"--innodb-flush-log-at-trx-commit=0", "--skip-name-resolve", "--ssl-cert=" + cert, "--ssl-key=" + key}, asRoot()...)...)
	cmd.SysProcAttr = diesWithParent()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	f := userServer{t: t, addr: "127.0.0.1:" + port}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(pollEvery) {
		if f.root, err = Open(t.Context(), ServerOptions{DSN: "root@unix(" + socket + ")/mysql", Access: Load}); err == nil || time.Now().After(end) {
			break
		}
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, logTail(dir))
	}
	t.Cleanup(func() { f.root.Close() })
	return f
}

// certificate writes a self-signed certificate and its key.
func certificate(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func (f userServer) exec(statements ...string) {
	f.t.Helper()
	if err := f.root.exec(f.t.Context(), statements...); err != nil {
		f.t.Fatal(err)
	}
}

// as opens the database dump as a user whose password is "secret".
func (f userServer) as(user, params string) (*DB, error) {
	return Open(f.t.Context(), ServerOptions{DSN: user + ":secret@tcp(" + f.addr + ")/dump" + params, Access: Load})
}

// needed are the rights that the documentation names.
const needed = "SELECT, INSERT, CREATE, DROP, ALTER, INDEX, CREATE VIEW, CREATE TEMPORARY TABLES"

func TestUserServerRights(t *testing.T) {
	schematest.Long(t)
	open(t) // needs mariadbd
	f := newUserServer(t)
	f.exec("CREATE DATABASE dump", "CREATE DATABASE theirs", "CREATE TABLE theirs.Posts (Id INT PRIMARY KEY)", "INSERT INTO theirs.Posts VALUES (42)",
		"CREATE USER full IDENTIFIED BY 'secret'", "GRANT "+needed+" ON dump.* TO full",
		"CREATE USER tls IDENTIFIED BY 'secret' REQUIRE SSL", "GRANT "+needed+" ON dump.* TO tls",
		"CREATE USER role_only IDENTIFIED BY 'secret'", "CREATE ROLE loader", "GRANT "+needed+" ON dump.* TO loader",
		"GRANT loader TO role_only", "SET DEFAULT ROLE loader FOR role_only")
	for _, right := range strings.Split(needed, ", ")[:5] {
		rest := strings.ReplaceAll(strings.ReplaceAll(", "+needed, ", "+right+",", ","), ",,", ",")
		f.exec("CREATE USER no_"+strings.ToLower(right)+" IDENTIFIED BY 'secret'", "GRANT"+strings.TrimPrefix(rest, ",")+" ON dump.* TO no_"+strings.ToLower(right))
	}

	t.Run("missing rights", func(t *testing.T) {
		for _, right := range strings.Split(needed, ", ")[:5] {
			user := "no_" + strings.ToLower(right)
			db, err := f.as(user, "")
			if err != nil {
				t.Fatal(err)
			}
			err = db.CheckRights(t.Context())
			fault, remedy := schema.FaultOf(err)
			if fault != schema.FaultUsage || !strings.Contains(err.Error(), "lacks the right "+right+" on the database dump") ||
				!strings.Contains(remedy, "GRANT SELECT") || strings.Contains(err.Error()+remedy, "secret") {
				t.Errorf("%s: fault %v, remedy %q: %v", user, fault, remedy, err)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("no entry", func(t *testing.T) {
		f.exec("CREATE USER outsider IDENTIFIED BY 'secret'")
		for _, user := range []string{"outsider", "nobody_of_this_name"} {
			_, err := f.as(user, "")
			if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: fault %v: %v", user, fault, err)
			}
		}
	})
	t.Run("TLS", func(t *testing.T) {
		if _, err := f.as("tls", ""); err == nil {
			t.Error("a user who requires TLS has connected without it")
		}
		db, err := f.as("tls", "?tls=skip-verify")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if got := all(t, db, "SHOW STATUS LIKE 'Ssl_version'"); !strings.HasPrefix(got[0][1], "TLS") {
			t.Error(got)
		}
		serve(t, db, "over TLS", map[string]string{"Votes": vote1})
		if _, err := f.as("full", "?tls=true"); err == nil {
			t.Error("the client has accepted a certificate that nobody has signed")
		}
	})
	for _, user := range []string{"full", "role_only"} {
		t.Run("load as "+user, func(t *testing.T) {
			db, err := f.as(user, "")
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if err := db.CheckRights(t.Context()); err != nil {
				t.Fatal(err)
			}
			serve(t, db, "their dump", map[string]string{"Votes": vote1 + vote2, "Posts": ""})
			if whole, err := db.TableIntact(t.Context(), table(t, "Votes"), true, 2, 2); err != nil || !whole {
				t.Errorf("whole %v, %v", whole, err)
			}
			want := [][]string{{"dump", "Answers"}, {"dump", "Posts"}, {"dump", "Questions"}, {"dump", "S2GDump"}, {"dump", "Votes"}, {"theirs", "Posts"}}
			got := all(t, f.root, "SELECT table_schema, table_name FROM information_schema.tables"+
				" WHERE table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema') ORDER BY 1, 2")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("tables of the server (-want +got):\n%s", diff)
			}
			if got := all(t, f.root, "SELECT * FROM theirs.Posts"); got[0][0] != "42" {
				t.Error(got)
			}
		})
	}
	t.Run("local_infile off", func(t *testing.T) {
		f.exec("SET GLOBAL local_infile=0")
		defer f.exec("SET GLOBAL local_infile=1")
		db, err := f.as("full", "")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		err = db.CheckRights(t.Context())
		if fault, remedy := schema.FaultOf(err); fault != schema.FaultUsage || !strings.Contains(remedy, "SET GLOBAL local_infile=1") {
			t.Errorf("fault %v, remedy %q: %v", fault, remedy, err)
		}
	})
	t.Run("read only", func(t *testing.T) {
		f.exec("SET GLOBAL read_only=1")
		defer f.exec("SET GLOBAL read_only=0")
		db, err := f.as("full", "")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if fault, _ := schema.FaultOf(db.CheckRights(t.Context())); fault != schema.FaultUsage {
			t.Errorf("fault %v", fault)
		}
	})
}

func TestOrdinaryUser(t *testing.T) {
	schematest.Long(t)
	open(t) // needs mariadbd
	if os.Getuid() != 0 {
		t.Skip("all tests are run by an ordinary user")
	}
	const nobody = 65534
	dir, err := os.MkdirTemp("", "s2g-nobody")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "program") // only root can read the folder of the test binary
	binary, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	if err := os.WriteFile(program, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, out} {
		if err := os.Chown(path, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), userEnv+"="+out, "HOME=/nonexistent")
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	said, err := cmd.CombinedOutput() // its standard input ends at once
	if err != nil || string(said) != "open\n" {
		t.Errorf("%v: %s", err, said)
	}
	if serverPID(out) != 0 {
		t.Error("a server is left")
	}
	info, err := os.Stat(filepath.Join(out, dataDir))
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != nobody || info.Mode().Perm() != 0o700 {
		t.Errorf("datadir of user %d, mode %v", st.Uid, info.Mode())
	}
}
