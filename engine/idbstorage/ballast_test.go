//go:build js && wasm

package idbstorage

import (
	"errors"
	"syscall/js"
	"testing"
	"time"
)

// hasBallast reports whether the ballast is there in full.
func hasBallast(t *testing.T) bool {
	t.Helper()
	folder, err := privateFiles()
	if err != nil {
		t.Fatal(err)
	}
	handle, err := callAsync(folder, "getFileHandle", ballastName)
	if err != nil {
		return false
	}
	file, err := callAsync(handle, "getFile")
	if err != nil {
		t.Fatal(err)
	}
	return file.Get("size").Int() == ballastSize
}

// needBallast makes the ballast for a test.
func needBallast(t *testing.T) {
	t.Helper()
	if err := makeBallast(); errors.Is(err, ErrUnavailable) {
		t.Skip("this browser cannot write files of an origin: no ballast is kept here")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dropBallast() })
	if !hasBallast(t) {
		t.Fatal("no ballast was made")
	}
}

// TestBallast: what is refused for lack of space has the space of the ballast,
// and what fails for another reason leaves it alone.
func TestBallast(t *testing.T) {
	needBallast(t)
	other := errors.New("other")
	for _, c := range []struct {
		name        string
		do          func() error
		want        error
		left, retry bool
	}{
		{name: "success", do: func() error { return nil }, left: true},
		{name: "another error", do: func() error { return other }, want: other, left: true},
		{name: "space made", do: func() error {
			if hasBallast(t) {
				return ErrQuota
			}
			return nil
		}, retry: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &Storage{}
			calls := 0
			err := s.withBallast(func() error { calls++; return c.do() })
			if !errors.Is(err, c.want) || (calls == 2) != c.retry {
				t.Errorf("%v after %d calls", err, calls)
			}
			if hasBallast(t) != c.left {
				t.Errorf("ballast: %t, want %t", !c.left, c.left)
			}
		})
	}
}

// TestBallastBeingWritten: a write that found no space because the ballast was being
// written is tried again afterwards.
func TestBallastBeingWritten(t *testing.T) {
	_ = dropBallast()
	s := &Storage{}
	s.ballast.Lock()
	writing := true
	err := s.withBallast(func() error {
		if writing {
			time.AfterFunc(time.Millisecond, func() {
				writing = false
				s.ballast.Unlock()
			})
			return ErrQuota
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestWithoutBallast: the error stands.
func TestWithoutBallast(t *testing.T) {
	_ = dropBallast()
	s := openStorage(t, newDatabase(t), Options{})
	free := fillUp(t)
	if err := s.AppendReserved(1, []byte("x")); !errors.Is(err, ErrQuota) {
		t.Errorf("append: %v", err)
	}
	free()
	if err := s.AppendReserved(1, []byte("x")); err != nil {
		t.Errorf("append with space: %v", err)
	}
}

// TestDeletionWaitsForSpace: a browser that cleans up has space a moment later.
func TestDeletionWaitsForSpace(t *testing.T) {
	_ = dropBallast()
	s := openStorage(t, newDatabase(t), Options{})
	time.AfterFunc(200*time.Millisecond, fillUp(t))
	if err := s.AppendReserved(1, []byte("x")); err != nil {
		t.Error(err)
	}
}

func TestCallOfAPromiseThatNeverSettles(t *testing.T) {
	defer func(before time.Duration) { promiseTimeout = before }(promiseTimeout)
	promiseTimeout = 50 * time.Millisecond
	object := js.Global().Call("eval", "({ hang: () => new Promise(() => {}) })")
	if _, err := callAsync(object, "hang"); !errors.Is(err, ErrTimeout) {
		t.Fatalf("callAsync: %v, want ErrTimeout", err)
	}
}
