package control

import (
	"errors"

	"sandtable/engine"
	"sandtable/engine/archive"
	"sandtable/server"
	"sandtable/server/auth"
)

// controlError is why the control API refuses a request.
type controlError struct {
	status  int
	code    string
	message string
	allow   string // for status 405
}

func (e *controlError) Error() string { return e.message }

var (
	errAccountName   = &controlError{400, "AccountNameInvalid", "An account name has 3 to 24 lower-case letters and digits.", ""}
	errAccountTaken  = &controlError{409, "AccountAlreadyExists", "An account of this name exists already.", ""}
	errNotFound      = &controlError{404, "ResourceNotFound", "The control API has no such path.", ""}
	errNoAccount     = &controlError{404, "ResourceNotFound", "There is no account of this name.", ""}
	errNoRequest     = &controlError{404, "ResourceNotFound", "There is no such request, or it is no longer kept.", ""}
	errNoKey         = &controlError{409, "NoKey", "The account does not have the key to sign with.", ""}
	errNoSnapshot    = &controlError{404, "SnapshotNotFound", "The account has no such snapshot.", ""}
	errSnapshotName  = &controlError{400, "SnapshotNameInvalid", "The name of a snapshot has 1 to 100 characters, and no control characters.", ""}
	errManySnapshots = &controlError{409, "TooManySnapshots", "The account has 32 snapshots. Delete one first.", ""}
	errIncomplete    = &controlError{409, "SnapshotIncomplete", "The snapshot is still being read from a file, or that was interrupted.", ""}
	errComplete      = &controlError{409, "SnapshotComplete", "The snapshot is complete and cannot be changed.", ""}
	errNotCompacted  = &controlError{507, "InsufficientStorage", "The storage could not be written. It may be full: merged blocks need space before the old ones are deleted. Nothing is lost.", ""}
	errDurability    = &controlError{409, "DurabilityFixed", "The durability of this store cannot be changed.", ""}
)

// invalidInput is a request with a malformed part.
func invalidInput(message string) *controlError {
	return &controlError{400, "InvalidInput", message, ""}
}

// describe returns how the control API answers an error.
func describe(err error) *controlError {
	known := &controlError{}
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, engine.ErrAccountNotFound):
		return errNoAccount
	case errors.Is(err, engine.ErrSnapshotNotFound):
		return errNoSnapshot
	case errors.Is(err, engine.ErrSnapshotName):
		return errSnapshotName
	case errors.Is(err, engine.ErrTooManySnapshots):
		return errManySnapshots
	case errors.Is(err, engine.ErrSnapshotIncomplete):
		return errIncomplete
	case errors.Is(err, engine.ErrSnapshotComplete):
		return errComplete
	case errors.Is(err, auth.ErrSAS):
		return invalidInput(err.Error() + ".")
	case errors.Is(err, archive.ErrPosition):
		return invalidInput("The chunk does not continue where an earlier one ended.")
	}
	status, code, message := server.Describe(err)
	return &controlError{status, code, message, ""}
}

func (e *controlError) document() []byte {
	var details, o object
	details.string("code", e.code)
	details.string("message", e.message)
	o.object("error", details)
	return o.end()
}
