//go:build unix

package filestorage_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/engine/filestorage"
)

// contend tries to acquire a folder, prints the outcome and keeps the folder until
// its input ends.
func contend(folder string) error {
	release, err := filestorage.ClaimAlone(folder)
	if errors.Is(err, filestorage.ErrInUse) {
		fmt.Println("in use")
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Println("owner")
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, release())
}

// TestContention: of several processes without locks that find a dead owner, one
// acquires the folder.
func TestContention(t *testing.T) {
	const rounds, contenders = 10, 8
	folder := t.TempDir()
	for round := range rounds {
		dead := child("contend", folder, 0)
		stdin, err := dead.StdinPipe()
		must(t, err)
		must(t, dead.Start())
		waitForOwner(t, folder)
		must(t, errors.Join(dead.Process.Kill(), stdin.Close()))
		_ = dead.Wait() // killed
		said, lastInput := make(chan string), make(chan struct{})
		for range contenders {
			go func() { said <- contendUntil(t, folder, lastInput) }()
		}
		owners := 0
		for range contenders {
			switch word := <-said; word {
			case "owner":
				owners++
			case "in use":
			default:
				t.Error(word)
			}
		}
		close(lastInput)
		if owners != 1 {
			t.Errorf("round %d: %d owners", round, owners)
		}
	}
}

// contendUntil starts a contender and returns its output. The contender ends when
// the channel is closed.
func contendUntil(t *testing.T, folder string, end <-chan struct{}) string {
	command := child("contend", folder, 0)
	stdin, err := command.StdinPipe()
	stdout, outErr := command.StdoutPipe()
	if err := errors.Join(err, outErr, command.Start()); err != nil {
		return err.Error()
	}
	lines := bufio.NewScanner(stdout)
	lines.Scan()
	t.Cleanup(func() { _ = command.Wait() })
	go func() {
		<-end
		_ = stdin.Close()
	}()
	return lines.Text()
}

func waitForOwner(t *testing.T, folder string) {
	t.Helper()
	for range 1000 {
		if found, _ := filepath.Glob(filepath.Join(folder, "owner-*[0-9]")); len(found) > 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("no process owns the store")
}

// TestOtherPIDNamespace: a process id from another container proves nothing.
func TestOtherPIDNamespace(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can create a PID namespace")
	}
	folder := t.TempDir()
	release, err := filestorage.ClaimAlone(folder)
	must(t, err)
	contender := child("contend", folder, 0)
	contender.Args = []string{"unshare", "--pid", "--fork", "--mount-proc", contender.Path}
	if contender.Path, err = exec.LookPath("unshare"); err != nil {
		t.Skip("unshare creates PID namespaces: ", err)
	}
	out, err := contender.Output()
	if string(out) != "in use\n" {
		t.Errorf("output %q, %v", out, err)
	}
	must(t, release())
}

// TestOwners evaluates owner records of other processes.
func TestOwners(t *testing.T) {
	this := filestorage.ThisProcess()
	pid, start, boot, space, machine := fmt.Sprint(os.Getpid()), this[1], this[2], this[3], this[4]
	const host = "pid:[4026531836]"
	dead := "4194304" // above the largest id of Linux
	for _, c := range []struct {
		name    string
		owner   []string
		onHost  bool
		isInUse bool
	}{
		{"this process", []string{pid, start, boot, space, machine, "false"}, false, true},
		{"an earlier process with this number", []string{pid, "1", boot, space, machine, "false"}, false, false},
		{"a process that has ended", []string{dead, "1", boot, space, machine, "false"}, false, false},
		{"a process of another container", []string{dead, "1", boot, "pid:[1]", machine, "false"}, false, true},
		{"before a reboot of the machine", []string{pid, start, "earlier", host, "machine", "false"}, true, false},
		{"a container before a reboot of the machine", []string{pid, start, "earlier", "pid:[1]", "machine", "false"}, true, true},
		{"another machine", []string{dead, "1", "other", host, "other", "false"}, true, true},
		{"a file without a process", []string{"12"}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			if c.onHost {
				filestorage.PretendHost(t, host, "machine")
			}
			must(t, os.WriteFile(filepath.Join(folder, "owner-3"), []byte(strings.Join(c.owner, " ")+"\n"), 0o600))
			release, err := filestorage.ClaimAlone(folder)
			if errors.Is(err, filestorage.ErrInUse) != c.isInUse || !c.isInUse && err != nil {
				t.Fatalf("got %v", err)
			}
			if err == nil {
				must(t, release())
			}
			s, err := filestorage.Open(folder, filestorage.Options{Timeout: time.Millisecond})
			if errors.Is(err, filestorage.ErrInUse) != (c.isInUse && len(c.owner) > 1) {
				t.Fatalf("with the lock: %v", err)
			}
			if err == nil {
				must(t, s.Close())
			}
		})
	}
}

// TestFenced: an owner whose file is gone acknowledges nothing and cannot corrupt the
// next owner's data.
func TestFenced(t *testing.T) {
	filestorage.WithSmallFiles(t)
	writes := map[string]func(*filestorage.Storage) error{
		"append": func(s *filestorage.Storage) error { return s.Append(2, []byte("late")) },
		"checkpoint": func(s *filestorage.Storage) error {
			return s.Checkpoint(engine.Checkpoint{Seq: 9, Puts: []engine.Block{blockOf(1, 50)}})
		},
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			first := open(t, folder)
			must(t, first.Append(1, []byte("one")))
			must(t, filestorage.LoseLock(first))
			must(t, os.Remove(first.OwnerFile()))
			second := open(t, folder)
			for range 2 {
				if err := write(first); !errors.Is(err, filestorage.ErrFenced) || !errors.Is(err, engine.ErrClosed) {
					t.Errorf("got %v", err)
				}
			}
			must(t, second.Append(2, []byte("two")))
			must(t, first.Close())
			must(t, second.Close())
			d, err := open(t, folder).Load()
			must(t, err)
			if len(d.WAL) != 2 || string(d.WAL[1].Data) != "two" || len(d.Blocks) > 0 {
				t.Errorf("store has %v", d)
			}
		})
	}
}

// TestInUse: a second Open is refused until the first store is closed.
func TestInUse(t *testing.T) {
	folder := t.TempDir()
	first := open(t, folder)
	must(t, first.Append(7, []byte("seven")))
	_, err := filestorage.Open(folder, filestorage.Options{Timeout: time.Millisecond})
	if !errors.Is(err, filestorage.ErrInUse) || !strings.Contains(err.Error(), folder) {
		t.Errorf("second open: %v", err)
	}
	must(t, first.Close())
	second := open(t, folder)
	if _, err := first.Load(); !errors.Is(err, filestorage.ErrInUse) {
		t.Errorf("load by a second process: %v", err)
	}
	must(t, second.Close())
	d, err := first.Load()
	must(t, err)
	if len(d.WAL) != 1 || string(d.WAL[0].Data) != "seven" {
		t.Errorf("loaded %v", d)
	}
}
