package batch

import "errors"

// Errors of batches.
var (
	// ErrBoundary means that the Content-Type is not multipart/mixed with a
	// boundary, or that the body does not contain the boundary.
	ErrBoundary = errors.New("batch has no boundary")
	// ErrSyntax means that the body is malformed, is not a batch, or is
	// truncated.
	ErrSyntax = errors.New("batch is malformed")
	// ErrOperation means that a part of the changeset is not an HTTP request.
	ErrOperation = errors.New("part of a changeset is no operation")
	// ErrQueryMixed means a GET that is not the only operation, or is within a
	// changeset.
	ErrQueryMixed = errors.New("batch mixes a query with other operations")
	// ErrChangesets means more than one changeset.
	ErrChangesets = errors.New("batch has more than one changeset")
)
