package message

// The methods that handlers know by name.
const (
	MethodDelete  = "DELETE"
	MethodGet     = "GET"
	MethodHead    = "HEAD"
	MethodOptions = "OPTIONS"
	MethodPatch   = "PATCH"
	MethodPost    = "POST"
	MethodPut     = "PUT"
)

// The statuses of answers.
//
// Source: RFC 9110, section 15.
const (
	StatusOK                  = 200
	StatusCreated             = 201
	StatusAccepted            = 202
	StatusNoContent           = 204
	StatusResetContent        = 205
	StatusNotModified         = 304
	StatusBadRequest          = 400
	StatusUnauthorized        = 401
	StatusNotFound            = 404
	StatusInternalServerError = 500
	StatusInsufficientStorage = 507
)

// TimeFormat is how time.Time.Format writes a date in UTC into a header.
const TimeFormat = "Mon, 02 Jan 2006 15:04:05 GMT"
