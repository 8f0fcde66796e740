package batch

import "errors"

// Errors of batches.
var (
	// ErrBoundary is a Content-Type that is not multipart/mixed with a
	// boundary, or a body in which the boundary is not.
	ErrBoundary = errors.New("batch has no boundary")
	// ErrSyntax is a body that does not scan, has none of the forms of a
	// batch, or was cut before its end.
	ErrSyntax = errors.New("batch is malformed")
	// ErrQueryMixed is a GET that is not the only operation, or is within a
	// changeset.
	ErrQueryMixed = errors.New("batch mixes a query with other operations")
	// ErrChangesets is more than one changeset.
	ErrChangesets = errors.New("batch has more than one changeset")
)
