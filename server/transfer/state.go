package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// State is what a copy has done, in a file. A nil State keeps nothing.
type State struct {
	path string
	kept stateFile
}

// stateFile is the file's content. It has no secrets.
type stateFile struct {
	From   string                 `json:"from"`
	To     string                 `json:"to"`
	Filter string                 `json:"filter,omitempty"`
	Tables map[string]*tableState `json:"tables"`
	Lacks  bool                   `json:"lacks,omitempty"` // data that was corrupt in the source
}

type tableState struct {
	Done bool   `json:"done,omitempty"`
	Next *Token `json:"next,omitempty"` // of the first page that is not written
	Size int64  `json:"size,omitempty"` // of the file that is written
}

// ErrOtherCopy means that a file has the state of a copy between other endpoints.
var ErrOtherCopy = errors.New("file belongs to another copy")

// OpenState reads the state of a copy, or begins one if the file does not exist.
// The names of the source and of the target are those of the copy before.
func OpenState(path, from, to, filter string) (*State, error) {
	s := &State{path, stateFile{From: from, To: to, Filter: filter, Tables: map[string]*tableState{}}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, s.save()
	}
	if err != nil {
		return nil, err
	}
	var kept stateFile
	if err := json.Unmarshal(text, &kept); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if kept.From != s.kept.From || kept.To != s.kept.To || kept.Filter != filter {
		return nil, fmt.Errorf("%s: %w, from %s to %s", path, ErrOtherCopy, kept.From, kept.To)
	}
	if kept.Tables != nil {
		s.kept.Tables, s.kept.Lacks = kept.Tables, kept.Lacks
	}
	return s, nil
}

// Remove removes the file of a copy that is complete.
func (s *State) Remove() error {
	if s == nil {
		return nil
	}
	return os.Remove(s.path)
}

func (s *State) of(table string) *tableState {
	if s == nil || s.kept.Tables[strings.ToLower(table)] == nil {
		return &tableState{}
	}
	return s.kept.Tables[strings.ToLower(table)]
}

// HasTable reports whether something of a table was copied.
func (s *State) HasTable(table string) bool {
	return s != nil && s.kept.Tables[strings.ToLower(table)] != nil
}

// SetLacks notes, with the next page, that data is missing because it is corrupt in the
// source: a process that resumes the copy does not read it again.
func (s *State) SetLacks() { s.kept.Lacks = true }

// Lacks reports what SetLacks has noted, also in an earlier process.
func (s *State) Lacks() bool { return s != nil && s.kept.Lacks }

func (s *State) isDone(table string) bool { return s.of(table).Done }
func (s *State) next(table string) *Token { return s.of(table).Next }

// advance notes that the pages of a table before next are written, and all of
// them if next is nil. Size is that of a file.
func (s *State) advance(table string, next *Token, size int64) error {
	s.kept.Tables[strings.ToLower(table)] = &tableState{Done: next == nil, Next: next, Size: size}
	return s.save()
}

// save replaces the file at once: a process that is killed, or a power failure, leaves
// the old one or the new one.
func (s *State) save() error {
	text, err := json.MarshalIndent(s.kept, "", "  ")
	if err != nil {
		return err
	}
	// Always the same name, so that processes that are killed leave one such file,
	// which the next one replaces.
	part := s.path + ".part"
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(part, s.path)
}
