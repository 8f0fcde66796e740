package filestorage

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The file owner-EPOCH names the process that owns a store. Epochs ascend, and only
// one process can create the file of an epoch (a link is exclusive): of several
// processes that find a dead owner, one becomes the next. It removes the owner files
// of earlier epochs before it reads the store. That fences earlier owners, should
// one still be alive: an owner checks its own file after each write, and
// acknowledges nothing if it is gone.
//
// Native programs also hold a lock of the operating system, which ends with the
// process. Where there are no locks, as in Node.js, an owner is taken for dead only
// if that is certain.

// owner is a process's hold on a folder.
type owner struct {
	path  string
	file  *os.File // at the path, unless it was removed
	epoch uint32
	lock  io.Closer // nil where the operating system has none
}

// process identifies a process that owns a store.
type process struct {
	pid     int
	start   string // when it began: a later process may have the same PID
	boot    string // boot ID of the kernel
	space   string // PID namespace
	machine string
	locked  bool // it holds a lock of the operating system, which ends with it
}

const unknown = "-"

// hostSpace is the PID namespace of a Linux machine itself, not of a container.
const hostSpace = "pid:[4026531836]"

func (p process) encode() []byte {
	return fmt.Appendln(nil, p.pid, p.start, p.boot, p.space, p.machine, p.locked)
}

func parseProcess(b []byte) (p process, ok bool) {
	f := strings.Fields(string(b))
	if len(f) != 6 {
		return p, false
	}
	pid, err := strconv.Atoi(f[0])
	return process{pid, f[1], f[2], f[3], f[4], f[5] == "true"}, err == nil && pid > 0
}

// thisProcess describes this process. Tests replace it.
var thisProcess = func() process {
	p := process{pid: os.Getpid(), start: startOf("self"), boot: lineOf("/proc/sys/kernel/random/boot_id"), space: unknown, machine: lineOf("/etc/machine-id")}
	if space, err := os.Readlink("/proc/self/ns/pid"); err == nil {
		p.space = space
	}
	return p
}

func lineOf(path string) string {
	b, err := os.ReadFile(path)
	if line := strings.TrimSpace(string(b)); err == nil && line != "" && !strings.ContainsAny(line, " \n") {
		return line
	}
	return unknown
}

// startOf returns when a process began, in ticks since the machine booted.
//
// Source: proc_pid_stat(5).
func startOf(pid string) string {
	b, err := os.ReadFile("/proc/" + pid + "/stat")
	// The second field is a name in parentheses, which may contain anything.
	_, rest, ok := strings.Cut(string(b[strings.LastIndexByte(string(b), ')')+1:]), " ")
	if fields := strings.Fields(rest); err == nil && ok && len(fields) > 19 {
		return fields[19]
	}
	return unknown
}

// gone reports whether p has certainly ended, judged by this process, which may
// hold the lock.
func (p process) gone(this process) bool {
	switch {
	case p.locked && this.locked:
		return true // we would not have the lock
	case p.boot != this.boot:
		// The machine was rebooted, unless these are two machines.
		return p.boot != unknown && this.boot != unknown && p.space == hostSpace && this.space == hostSpace &&
			p.machine == this.machine && p.machine != unknown
	case p.space != this.space:
		return false // a PID of another container means nothing here
	case !isAlive(p.pid):
		return true
	}
	start := startOf(strconv.Itoa(p.pid))
	return start != unknown && p.start != unknown && start != p.start
}

// lockName is the file that native processes lock. It stays.
const lockName = "lock"

// acquire makes this process the owner of a folder. It waits for an owner that is
// about to end.
func acquire(folder string, timeout time.Duration) (o *owner, err error) {
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	const pause = 20 * time.Millisecond
	var lock io.Closer
	for end := time.Now().Add(timeout); ; time.Sleep(pause) {
		if lock == nil {
			lock, err = Lock(filepath.Join(folder, lockName))
		}
		if err == nil {
			o, err = claim(folder, lock)
		}
		switch {
		case err == nil:
			return o, nil
		case errors.Is(err, ErrInUse) && time.Now().Before(end):
			continue
		case lock != nil:
			err = errors.Join(err, lock.Close())
		}
		return nil, err
	}
}

// claim makes this process the owner, if there is none. Tests call it alone.
func claim(folder string, lock io.Closer) (*owner, error) {
	this := thisProcess()
	this.locked = lock != nil
	l, err := list(folder)
	if err != nil {
		return nil, err
	}
	for _, epoch := range l.owners {
		if err := checkGone(folder, epoch, this); err != nil {
			return nil, err
		}
	}
	o := &owner{path: ownerPath(folder, l.lastEpoch()+1), epoch: l.lastEpoch() + 1, lock: lock}
	if err := o.create(this); err != nil {
		return nil, err
	}
	// Other owners may have come and gone since the folder was listed. The highest
	// epoch wins.
	now, err := list(folder)
	if err == nil && (now.lastEpoch() > o.epoch || hasEpoch(now, o.epoch)) {
		err = ErrInUse
	}
	for _, epoch := range now.owners {
		if err == nil && epoch < o.epoch {
			err = removeIfThere(ownerPath(folder, epoch))
		}
	}
	if err == nil {
		o.file, err = os.Open(o.path)
	}
	if err != nil {
		return nil, errors.Join(err, removeIfThere(o.path))
	}
	return o, nil
}

// hasEpoch reports whether an owner of the epoch has written anything.
func hasEpoch(l listing, epoch uint32) bool {
	is := func(id fileID) bool { return id.epoch() == epoch }
	return slices.ContainsFunc(l.wals, is) || slices.ContainsFunc(l.blocks, is)
}

func ownerPath(folder string, epoch uint32) string {
	return filepath.Join(folder, fmt.Sprint(ownerName, "-", epoch))
}

// checkGone returns an error unless an owner has ended.
func checkGone(folder string, epoch uint32, this process) error {
	path := ownerPath(folder, epoch)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	p, ok := parseProcess(b)
	switch {
	case err != nil:
		return err
	case !ok && this.locked:
		return nil // it was never written completely
	case !ok:
		return fmt.Errorf("%w: by a process that %s does not name; if it has ended, delete that file", ErrInUse, path)
	case p.gone(this):
		return nil
	case p.boot != this.boot || p.space != this.space:
		return fmt.Errorf("%w by process %d of another container or machine; if it has ended, delete %s", ErrInUse, p.pid, path)
	}
	return fmt.Errorf("%w by process %d; if that is another program, delete %s", ErrInUse, p.pid, path)
}

// create creates the owner's file. It returns [ErrInUse] if there is one.
func (o *owner) create(this process) error {
	// No other process or call uses the name of the temporary file.
	temp, err := os.CreateTemp(filepath.Dir(o.path), filepath.Base(o.path)+"-*"+tempSuffix)
	if err != nil {
		return err
	}
	_, err = temp.WriteAt(this.encode(), 0)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Link(temp.Name(), o.path)
	}
	_ = os.Remove(temp.Name()) // else the next owner removes it
	if errors.Is(err, fs.ErrExist) {
		return ErrInUse
	}
	if err != nil {
		return o.createDirectly(this)
	}
	return nil
}

// createDirectly creates the file without a link, on file systems without links and
// on full disks. The file is empty at first, and stays so on a full disk. If this
// process holds the lock, that does no harm.
func (o *owner) createDirectly(this process) error {
	file, err := os.OpenFile(o.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return ErrInUse
	}
	if err != nil {
		return err
	}
	_, err = file.WriteAt(this.encode(), 0)
	if this.locked && isFull(err) {
		err = nil
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(o.path))
	}
	return nil
}

// check returns [ErrFenced] if another process has become the owner.
func (o *owner) check() error {
	is, err := isRemoved(o.file)
	if is {
		return ErrFenced
	}
	return hideErrno("look at the owner's file", err) // the write took place
}

// release ends the ownership of the folder.
func (o *owner) release() error {
	err := errors.Join(o.file.Close(), removeIfThere(o.path))
	if o.lock != nil {
		err = errors.Join(err, o.lock.Close())
	}
	return err
}
