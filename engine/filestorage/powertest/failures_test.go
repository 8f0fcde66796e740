package powertest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// String lists the files and folders: "a=text b/ b/c=".
func (s State) String() string {
	var parts []string
	for _, path := range slices.Sorted(maps.Keys(s)) {
		part := path
		if !strings.HasSuffix(path, "/") {
			part = fmt.Sprintf("%s=%s", path, strings.ReplaceAll(string(s[path]), "\x00", "0"))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}

// begin creates a disk with some files and applies calls in strace's notation, but
// with plain strings.
func begin(t *testing.T, files State, calls ...string) *Disk {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "disk")
	if err := files.Write(folder); err != nil {
		t.Fatal(err)
	}
	d, err := NewDisk(folder)
	if err != nil {
		t.Fatal(err)
	}
	d.Start()
	for _, c := range calls {
		if _, err := apply(d, c); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func apply(d *Disk, text string) (changed bool, err error) {
	var hex strings.Builder
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 0 {
			hex.WriteString(part)
			continue
		}
		hex.WriteByte('"')
		for _, b := range []byte(part) {
			fmt.Fprintf(&hex, `\x%02x`, b)
		}
		hex.WriteByte('"')
	}
	calls, err := Calls(strings.NewReader("1 " + hex.String()))
	if err != nil {
		return false, err
	}
	return d.Apply("/disk", calls[0])
}

// after returns the distinct states that a failure may leave.
func after(d *Disk) (states []string) {
	for s := range d.Failures(rand.New(rand.NewPCG(1, 1))) {
		states = append(states, s.String())
	}
	slices.Sort(states)
	return slices.Compact(states)
}

// TestFailures compares the possible states after some calls.
func TestFailures(t *testing.T) {
	const (
		openA   = `openat(AT_FDCWD, "/disk/a", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 3`
		openTop = `openat(AT_FDCWD, "/disk", O_RDONLY|O_CLOEXEC) = 4`
	)
	old := State{"a": []byte("old")}
	for _, c := range []struct {
		name  string
		files State
		calls []string
		want  []string
	}{
		{"no change", old, []string{openA, `close(3) = 0`}, []string{"a=old"}},
		{"a write", old, []string{openA, `pwrite64(3, "new", 3, 0) = 3`}, []string{"a=new", "a=old"}},
		{"a synced write", old, []string{openA, `pwrite64(3, "new", 3, 0) = 3`, `fdatasync(3) = 0`}, []string{"a=new"}},
		{"a failed write", old, []string{openA, `pwrite64(3, "new", 3, 0) = -1 ENOSPC (No space left on device)`}, []string{"a=old"}},
		{"a partial write", old, []string{openA, `pwrite64(3, "new", 3, 0) = 1`}, []string{"a=nld", "a=old"}},
		{"a failed sync", old, []string{openA, `pwrite64(3, "new", 3, 0) = 3`, `fsync(3) = -1 EIO (Input/output error)`}, []string{"a=new", "a=old"}},
		{"two writes", old, []string{openA, `pwrite64(3, "N", 1, 0) = 1`, `pwrite64(3, "W", 1, 2) = 1`}, []string{"a=NlW", "a=Nld", "a=olW", "a=old"}},
		{"a write after a sync", old, []string{openA, `pwrite64(3, "N", 1, 0) = 1`, `fsync(3) = 0`, `pwrite64(3, "W", 1, 2) = 1`}, []string{"a=NlW", "a=Nld"}},
		{"a longer file", old, []string{openA, `pwrite64(3, "er", 2, 3) = 2`}, []string{"a=old", "a=old00", "a=older"}},
		{"sizes", old, []string{openA, `ftruncate(3, 1) = 0`, `ftruncate(3, 2) = 0`}, []string{"a=o", "a=o0", "a=ol", "a=old"}},
		{"truncated at open", old, []string{`openat(AT_FDCWD, "/disk/a", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3`}, []string{"a=", "a=old"}},
		{"a new file, synced", nil, []string{openA, `pwrite64(3, "new", 3, 0) = 3`, `fsync(3) = 0`}, []string{"", "a=new"}},
		{"a new name, synced", nil, []string{openA, `pwrite64(3, "new", 3, 0) = 3`, openTop, `fsync(4) = 0`}, []string{"a=", "a=000", "a=new"}},
		{"file and name, synced", nil, []string{openA, `pwrite64(3, "new", 3, 0) = 3`, `fsync(3) = 0`, openTop, `fsync(4) = 0`}, []string{"a=new"}},
		{"replaced by a rename", State{"a": []byte("old"), "b": []byte("new")}, []string{`renameat(AT_FDCWD, "/disk/b", AT_FDCWD, "/disk/a") = 0`}, []string{"a=new", "a=old b=new"}},
		{"replaced by an unsynced file", old, []string{
			`openat(AT_FDCWD, "/disk/b", O_RDWR|O_CREAT, 0600) = 3`, `pwrite64(3, "new", 3, 0) = 3`, `rename("/disk/b", "/disk/a") = 0`,
		}, []string{"a=", "a=000", "a=new", "a=old", "a=old b=", "a=old b=000", "a=old b=new"}},
		{"a link whose first name is removed", State{"b": []byte("x")}, []string{
			`linkat(AT_FDCWD, "/disk/b", AT_FDCWD, "/disk/a", 0) = 0`, `unlinkat(AT_FDCWD, "/disk/b", 0) = 0`,
		}, []string{"", "a=x", "a=x b=x", "b=x"}},
		{"a write through a removed name", State{"b": []byte("x")}, []string{
			`openat(AT_FDCWD, "/disk/b", O_RDWR, 0) = 3`, `link("/disk/b", "/disk/a") = 0`, openTop, `fsync(4) = 0`, `unlink("/disk/b") = 0`, `pwrite64(3, "y", 1, 0) = 1`, `fsync(3) = 0`,
		}, []string{"a=y", "a=y b=y"}},
		{"folders", nil, []string{`mkdirat(AT_FDCWD, "/disk/f", 0700) = 0`, `mkdir("/disk/f/g", 0700) = 0`}, []string{"", "f/", "f/ f/g/"}},
		{"the inner folder is synced, the outer is not", nil, []string{
			`mkdirat(AT_FDCWD, "/disk/f", 0700) = 0`, `mkdirat(AT_FDCWD, "/disk/f/g", 0700) = 0`, `openat(AT_FDCWD, "/disk/f", O_RDONLY) = 5`, `fsync(5) = 0`,
		}, []string{"", "f/ f/g/"}},
		{"files outside the disk", old, []string{
			`openat(AT_FDCWD, "/diskette", O_RDWR|O_CREAT, 0600) = 3`, `pwrite64(3, "new", 3, 0) = 3`, `unlinkat(AT_FDCWD, "/a", 0) = 0`, `write(1, "new", 3) = 3`,
		}, []string{"a=old"}},
		{"a reused descriptor", old, []string{openA, `close(3) = 0`, `openat(AT_FDCWD, "/dev/null", O_RDWR) = 3`, `pwrite64(3, "new", 3, 0) = 3`}, []string{"a=old"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := after(begin(t, c.files, c.calls...)); !slices.Equal(got, c.want) {
				t.Errorf("got\n%q, want\n%q", got, c.want)
			}
		})
	}
}

// TestTorn: each sector of a write may reach the disk independently.
func TestTorn(t *testing.T) {
	before := strings.Repeat("-", 2000)
	d := begin(t, State{"a": []byte(before)}, `openat(AT_FDCWD, "/disk/a", O_RDWR) = 3`,
		`pwrite64(3, "`+strings.Repeat("x", 1400)+`", 1400, 300) = 1400`) // 212, 512, 512 and 164 bytes
	parts := [][2]int{{300, 512}, {512, 1024}, {1024, 1536}, {1536, 1700}}
	got := after(d)
	for bits := range 1 << len(parts) {
		text := []byte(before)
		kept := 0
		for i, part := range parts {
			if bits>>i&1 == 1 {
				kept++
				copy(text[part[0]:part[1]], strings.Repeat("x", part[1]-part[0]))
			}
		}
		// All of them except the two with the first and third, and second and fourth
		// sectors, which are chosen at random.
		_, found := slices.BinarySearch(got, "a="+string(text))
		if !found && bits != 0b0101 && bits != 0b1010 && bits != 0b0110 && bits != 0b1001 {
			t.Errorf("missing the state with the sectors %04b", bits)
		}
	}
	for _, s := range got {
		for _, part := range parts {
			if inside := s[2+part[0] : 2+part[1]]; inside != strings.Repeat(inside[:1], len(inside)) {
				t.Errorf("a sector is torn: %s", s)
			}
		}
	}
}

// TestManyChanges: each of many changes is tried alone, as the last one, and missing.
func TestManyChanges(t *testing.T) {
	calls := []string{`openat(AT_FDCWD, "/disk/a", O_RDWR) = 3`}
	for i := range 9 {
		calls = append(calls, fmt.Sprintf(`pwrite64(3, "x", 1, %d) = 1`, i))
	}
	got := after(begin(t, State{"a": []byte("---------")}, calls...))
	for i := range 9 {
		for _, want := range []string{
			strings.Repeat("-", i) + "x" + strings.Repeat("-", 8-i),
			strings.Repeat("x", i) + "-" + strings.Repeat("x", 8-i),
			strings.Repeat("x", i) + strings.Repeat("-", 9-i),
		} {
			if !slices.Contains(got, "a="+want) {
				t.Errorf("without %s", want)
			}
		}
	}
}

func TestSome(t *testing.T) {
	for n := range 200 {
		numbers := some(n)
		slices.Sort(numbers)
		if n > 0 && (numbers[0] != 0 || numbers[len(numbers)-1] != n-1) || len(numbers) > manyPlaces+2 || len(slices.Compact(numbers)) < min(n, manyPlaces) {
			t.Errorf("of %d: %d", n, numbers)
		}
	}
}

// TestKilled: a killed process's unsynced writes stay unsynced, and its descriptors
// are closed.
func TestKilled(t *testing.T) {
	d := begin(t, State{"a": []byte("old")}, `openat(AT_FDCWD, "/disk/a", O_RDWR) = 3`, `pwrite64(3, "N", 1, 0) = 1`)
	d.Start()
	if changed, err := apply(d, `fsync(3) = 0`); changed || err != nil {
		t.Errorf("changed: %v, %v", changed, err)
	}
	if got := d.Current().String(); got != "a=Nld" {
		t.Errorf("the file system shows %s", got)
	}
	if got := after(d); !slices.Equal(got, []string{"a=Nld", "a=old"}) {
		t.Errorf("the disk has %q", got)
	}
	for _, call := range []string{`openat(AT_FDCWD, "/disk/a", O_RDWR) = 5`, `fsync(5) = 0`} {
		if _, err := apply(d, call); err != nil {
			t.Error(err)
		}
	}
	if got := after(d); !slices.Equal(got, []string{"a=Nld"}) {
		t.Errorf("the disk has %q", got)
	}
}

// TestUnknown: a call that might change a file in an unknown way is an error.
func TestUnknown(t *testing.T) {
	for call, want := range map[string]error{
		`write(3, "x", 1) = 1`:                          errUnknown,
		`writev(3, [{iov_base="x", iov_len=1}], 1) = 1`: errUnknown,
		`dup(3) = 4`:                       errUnknown,
		`dup2(1, 3) = 3`:                   errUnknown,
		`fcntl(3, F_DUPFD_CLOEXEC, 0) = 4`: errUnknown,
		`fcntl(3, F_GETFL) = 0x8002 (flags O_RDWR|O_LARGEFILE)`:                     nil,
		`mmap(NULL, 10, PROT_READ|PROT_WRITE, MAP_SHARED, 3, 0) = 0x70`:             errUnknown,
		`mmap(NULL, 10, PROT_READ, MAP_SHARED, 3, 0) = 0x70`:                        nil,
		`mmap(NULL, 10, PROT_READ|PROT_WRITE, MAP_PRIVATE, 3, 0) = 0x7`:             nil,
		`copy_file_range(5, NULL, 3, NULL, 10, 0) = 10`:                             errUnknown,
		`copy_file_range(3, NULL, 5, NULL, 10, 0) = 10`:                             nil,
		`fallocate(3, 0, 0, 10) = 0`:                                                errUnknown,
		`truncate("/disk/a", 1) = 0`:                                                errUnknown,
		`truncate("/elsewhere", 1) = 0`:                                             nil,
		`symlink("b", "/disk/c") = 0`:                                               errUnknown,
		`renameat2(AT_FDCWD, "/disk/a", AT_FDCWD, "/disk/b", RENAME_EXCHANGE) = 0`:  errUnknown,
		`renameat2(AT_FDCWD, "/disk/a", AT_FDCWD, "/disk/b", RENAME_NOREPLACE) = 0`: nil,
		`rename("/disk/a", "/elsewhere") = 0`:                                       errUnknown,
		`openat(7, "a", O_RDWR) = 4`:                                                errUnknown,
		`ioctl(3, FICLONE, 4) = 0`:                                                  errUnknown,
		`ftruncate(3, 1000000000000) = 0`:                                           errLarge,
		`pwrite64(3, "x", 1, 1000000000000) = 1`:                                    errLarge,
		`pwrite64(3, "x", 1) = 1`:                                                   errTrace,
		`pwrite64(3, "x", 9, 0) = 9`:                                                errTrace,
		`rename("/disk/a") = 0`:                                                     errTrace,
	} {
		d := begin(t, State{"a": nil}, `openat(AT_FDCWD, "/disk/a", O_RDWR) = 3`)
		if _, err := apply(d, call); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", call, err, want)
		}
	}
}

// TestWrite: a written state reads back equal.
func TestWrite(t *testing.T) {
	s := State{"a": []byte("text"), "f/": nil, "f/g/": nil, "f/g/h": nil, "f/b": []byte("x")}
	d := begin(t, s)
	if got := d.Current(); got.String() != s.String() || got.Sum() != s.Sum() {
		t.Errorf("got %s", got)
	}
	other := State{"a": []byte("tex"), "f/": nil, "f/g/": nil, "f/g/h": nil, "f/b": []byte("x")}
	if other.Sum() == s.Sum() {
		t.Error("two states have the same checksum")
	}
	if err := s.Write(filepath.Join(os.DevNull, "disk")); err == nil {
		t.Error("wrote into a missing folder")
	}
	if _, err := NewDisk(filepath.Join(t.TempDir(), "gone")); err == nil {
		t.Error("read a missing folder")
	}
}
