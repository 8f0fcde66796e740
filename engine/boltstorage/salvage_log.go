//go:build !js

package boltstorage

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"go.etcd.io/bbolt"

	"sandtable/engine"
)

// salvageLog makes the store refer to such files of the log as can be read.
func (s *Salvaged) salvageLog(folder string, options Options) (err error) {
	options.Durability = engine.Strict
	db, file, err := openFile(filepath.Join(folder, FileName), options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeFile(db)) }()
	if format, err := formatOf(db); err != nil || format != formatVersion {
		return err // opening makes or moves the log
	}
	if err := settleRoot(db, file); err != nil {
		return err // what that of the disk refers to must not be touched
	}
	lost := len(s.Lost)
	state, err := readLogState(db)
	if errors.Is(err, engine.ErrCorrupt) {
		s.Lost = append(s.Lost, err)
		state, err = s.findLog(folder)
	}
	if err != nil {
		return err
	}
	sound, err := s.soundLog(folder, state)
	if err != nil || len(s.Lost) == lost {
		return err
	}
	if err := completeLog(folder, &sound, state); err != nil {
		return err
	}
	return transact(db.Update, func(tx *bbolt.Tx) error { return putLogState(tx, sound) })
}

// findLog makes of the files' own openings what the store does not say: all of
// their records count. Where the two do not belong together, the younger does.
// One that cannot be read is set aside: the log could begin it anew.
func (s *Salvaged) findLog(folder string) (state logState, err error) {
	for slot := byte(1); slot <= 2; slot++ {
		o, records, err := lookAt(folder, slot)
		if errors.Is(err, engine.ErrCorrupt) {
			s.Lost = append(s.Lost, err)
			err = s.setAside(filepath.Join(folder, logName(slot)))
		}
		if err != nil {
			return logState{}, err
		}
		if records > 0 {
			state.files = append(state.files, logRef{slot, o})
		}
	}
	slices.SortFunc(state.files, func(a, b logRef) int { return cmp.Compare(a.start, b.start) })
	if state.check() == nil {
		return state, nil
	}
	err = s.setAside(filepath.Join(folder, logName(state.files[0].slot)))
	state.files = state.files[1:]
	return state, errors.Join(err, state.check())
}

// soundLog returns the state without the files that cannot be read. One of which
// only the opening is damaged gets another, and one that is too long is cut off.
func (s *Salvaged) soundLog(folder string, state logState) (logState, error) {
	sound := logState{drops: state.drops}
	for _, ref := range state.files {
		f, err := openLogFile(folder, ref)
		if err == nil {
			sound.files = append(sound.files, ref)
			// Perhaps a salvage that was killed has mended it.
			if err := errors.Join(syncData(f.file), f.file.Close()); err != nil {
				return sound, err
			}
			continue
		}
		if !errors.Is(err, engine.ErrCorrupt) {
			return sound, err
		}
		s.Lost = append(s.Lost, err)
		mended, err := mendFile(folder, ref)
		if err == nil && !mended {
			err = s.setAside(filepath.Join(folder, logName(ref.slot)))
		}
		if err != nil {
			return sound, err
		}
		if mended {
			sound.files = append(sound.files, ref)
		}
	}
	return sound, nil
}

// mendFile writes a file's opening again, if what is behind it is as it says, and
// cuts off what is longer than a log can be.
func mendFile(folder string, ref logRef) (mended bool, err error) {
	path := filepath.Join(folder, logName(ref.slot))
	text, err := readFile(path)
	frames := ref.scan(text)
	if err != nil || len(frames) == 0 {
		return false, ignoreMissing(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	f := logFile{logRef: ref, file: file}
	err = f.writeOpening()
	if int64(len(text)) == mostSize {
		err = errors.Join(err, file.Truncate(min(frames[len(frames)-1].end(), mostSize)))
	}
	return true, errors.Join(err, file.Sync(), file.Close())
}

// completeLog gives the log a file to go on in if the last is not there any
// more, at the same position.
func completeLog(folder string, sound *logState, was logState) error {
	start := uint64(0)
	if n := len(was.files); n > 0 {
		last := was.files[n-1]
		if sound.uses(last.slot) {
			return nil
		}
		start = last.start
	}
	for i := range sound.drops {
		sound.drops[i].before = min(sound.drops[i].before, start)
	}
	slot := byte(1)
	if sound.uses(slot) {
		slot = 2
	}
	f, err := beginFile(folder, slot, start, engine.Strict)
	if err != nil {
		return err
	}
	sound.files = append(sound.files, f.logRef)
	return f.file.Close()
}

// setAside gives a file another name, if it is there.
func (s *Salvaged) setAside(path string) error {
	if _, err := os.Lstat(path); err != nil {
		return ignoreMissing(err)
	}
	for n := 1; ; n++ {
		kept := fmt.Sprint(path, ".damaged-", n)
		if _, err := os.Lstat(kept); err == nil {
			continue
		} else if ignoreMissing(err) != nil {
			return err
		}
		s.Kept = append(s.Kept, kept)
		return os.Rename(path, kept)
	}
}
