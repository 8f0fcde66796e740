//go:build js && wasm

package idbstorage

import (
	"errors"
	"syscall/js"
	"testing"
	"time"
)

// hasReserve reports whether the reserve is there in full.
func hasReserve(t *testing.T) bool {
	t.Helper()
	folder, err := privateFiles()
	if err != nil {
		t.Fatal(err)
	}
	handle, err := callAsync(folder, "getFileHandle", reserveName)
	if err != nil {
		return false
	}
	file, err := callAsync(handle, "getFile")
	if err != nil {
		t.Fatal(err)
	}
	return file.Get("size").Int() == reserveSize
}

// needReserve makes the reserve for a test.
func needReserve(t *testing.T) {
	t.Helper()
	if err := makeReserve(); errors.Is(err, ErrUnavailable) {
		t.Skip("this browser cannot write files of an origin: no reserve is kept here")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dropReserve() })
	if !hasReserve(t) {
		t.Fatal("no reserve was made")
	}
}

// TestReserve: what is refused for lack of space has the space of the reserve,
// and what fails for another reason leaves it alone.
func TestReserve(t *testing.T) {
	needReserve(t)
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
			if hasReserve(t) {
				return ErrQuota
			}
			return nil
		}, retry: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &Storage{}
			calls := 0
			err := s.withReserve(func() error { calls++; return c.do() })
			if !errors.Is(err, c.want) || (calls == 2) != c.retry {
				t.Errorf("%v after %d calls", err, calls)
			}
			if hasReserve(t) != c.left {
				t.Errorf("reserve: %t, want %t", !c.left, c.left)
			}
		})
	}
}

// TestReserveBeingWritten: a write that found no space because the reserve was being
// written is tried again afterwards.
func TestReserveBeingWritten(t *testing.T) {
	_ = dropReserve()
	s := &Storage{}
	s.reserveMu.Lock()
	writing := true
	err := s.withReserve(func() error {
		if writing {
			time.AfterFunc(time.Millisecond, func() {
				writing = false
				s.reserveMu.Unlock()
			})
			return ErrQuota
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestWithoutReserve: the error stands.
func TestWithoutReserve(t *testing.T) {
	_ = dropReserve()
	s := openStorage(t, newDatabase(t), Options{})
	free := fillUp(t)
	if err := s.AppendReserved(1, []byte("x"), false); !errors.Is(err, ErrQuota) {
		t.Errorf("append: %v", err)
	}
	free()
	if err := s.AppendReserved(1, []byte("x"), false); err != nil {
		t.Errorf("append with space: %v", err)
	}
}

// TestDeletionWaitsForSpace: a browser that cleans up has space a moment later.
func TestDeletionWaitsForSpace(t *testing.T) {
	_ = dropReserve()
	s := openStorage(t, newDatabase(t), Options{})
	time.AfterFunc(200*time.Millisecond, fillUp(t))
	if err := s.AppendReserved(1, []byte("x"), false); err != nil {
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
