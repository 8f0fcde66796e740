package rowfile

// SetChunk changes how much is read at a time.
func SetChunk(size int) (restore func()) {
	before := chunk
	chunk = size
	return func() { chunk = before }
}
