//go:build unix

package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Cluster is a PostgreSQL server in a temporary folder, which only its unix
// socket reaches. It does not wait for the disk, except for that of [New].
type Cluster struct {
	durable bool
	folder  string
	bin     string
	owner   *syscall.Credential // nil for this process's own user
	process *exec.Cmd
	log     bytes.Buffer
}

// URL returns the address of the database.
func (c *Cluster) URL() string {
	return "postgres://postgres@/postgres?host=" + url.QueryEscape(c.folder)
}

var shared struct {
	once    sync.Once
	cluster *Cluster
	err     error
	schemas atomic.Int64
}

// Run runs the tests of a package, for its TestMain, and stops the cluster of
// [Schema] afterwards.
func Run(m *testing.M) int {
	defer func() {
		if shared.cluster != nil {
			shared.cluster.Close()
		}
	}()
	return m.Run()
}

// Schema returns the address of a new, empty schema in a cluster that all tests of
// the package share. TestMain must use [Run].
func Schema(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() { shared.cluster, shared.err = start(false) })
	skipOrFail(t, shared.err)
	return shared.cluster.Schema(t)
}

// Start starts a cluster for one test, which may stop and restart it.
func Start(t testing.TB) *Cluster {
	t.Helper()
	c, err := start(false)
	skipOrFail(t, err)
	t.Cleanup(c.Close)
	return c
}

// New starts a cluster for a benchmark: a commit waits for the disk, as it does by
// default.
func New() (*Cluster, error) { return start(true) }

// Close stops the cluster and deletes it.
func (c *Cluster) Close() {
	c.Stop(syscall.SIGQUIT)
	os.RemoveAll(c.folder)
}

var errMissing = errors.New("PostgreSQL is not installed (Debian's package postgresql)")

func skipOrFail(t testing.TB, err error) {
	t.Helper()
	switch {
	case errors.Is(err, errMissing) && os.Getenv("SANDTABLE_POSTGRESQL") != "required":
		t.Skipf("%v: skipped", err)
	case err != nil:
		t.Fatal(err)
	}
}

// Schema creates an empty schema and returns its address.
func (c *Cluster) Schema(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("s%d", shared.schemas.Add(1))
	conn, err := pgx.Connect(t.Context(), c.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	return c.URL() + "&search_path=" + name
}

func start(durable bool) (*Cluster, error) {
	c, err := newCluster()
	if err != nil {
		return nil, err
	}
	c.durable = durable
	initialize := c.command("initdb", "-D", c.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
	if out, failed := initialize.CombinedOutput(); failed != nil {
		err = fmt.Errorf("initdb: %w\n%s", failed, out)
	} else {
		err = c.Restart()
	}
	if err != nil {
		os.RemoveAll(c.folder)
		return nil, err
	}
	return c, nil
}

// newCluster returns a cluster without data.
func newCluster() (c *Cluster, err error) {
	c = &Cluster{}
	if c.bin, err = programs(); err != nil {
		return nil, err
	}
	if c.folder, err = os.MkdirTemp("", "sandpg"); err != nil {
		return nil, err
	}
	if os.Getuid() == 0 { // as whom PostgreSQL refuses to run
		if c.owner, err = lesserUser(); err == nil {
			err = os.Chown(c.folder, int(c.owner.Uid), int(c.owner.Gid))
		}
		if err != nil {
			os.RemoveAll(c.folder)
			return nil, err
		}
	}
	return c, nil
}

// programs returns the folder of PostgreSQL's programs, the newest version's.
func programs() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	slices.SortFunc(found, func(a, b string) int { return versionOf(a) - versionOf(b) })
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1]), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", errMissing
	}
	return filepath.Dir(path), nil
}

func versionOf(initdb string) int {
	version, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(initdb))))
	return version
}

// lesserUser returns the user that Debian's package creates, or nobody.
func lesserUser() (*syscall.Credential, error) {
	found, err := user.Lookup("postgres")
	if err != nil {
		if found, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

func (c *Cluster) data() string { return filepath.Join(c.folder, "data") }

func (c *Cluster) command(name string, args ...string) *exec.Cmd {
	command := exec.Command(filepath.Join(c.bin, name), args...)
	command.Dir = c.folder
	command.SysProcAttr = &syscall.SysProcAttr{Credential: c.owner}
	return command
}

// Restart starts the server, which is not running, and waits until it answers.
func (c *Cluster) Restart() error {
	args := []string{"-D", c.data(), "-k", c.folder, "-c", "listen_addresses=", "-c", "max_connections=200"}
	if !c.durable {
		args = append(args, "-F")
	}
	c.process = c.command("postgres", args...)
	c.process.Stderr = &c.log
	if err := c.process.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, c.URL())
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-time.After(20 * time.Millisecond): // it announces itself to systemd only
		case <-ctx.Done():
			c.Stop(syscall.SIGQUIT)
			return fmt.Errorf("postgres does not answer: %w\n%s", err, strings.TrimSpace(c.log.String()))
		}
	}
}

// Stop stops the server and waits until it has ended: SIGTERM waits for clients
// to leave, SIGINT disconnects them, SIGQUIT is a crash.
func (c *Cluster) Stop(signal os.Signal) {
	if c.process.ProcessState != nil {
		return
	}
	c.process.Process.Signal(signal)
	c.process.Wait()
}
