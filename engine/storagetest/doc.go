// Package storagetest is the one suite that every [engine.Storage] passes: the
// promises of the interface one by one, and the engine on top of it with
// random work, failures and restarts.
//
// An implementation's test is a call of [Run]:
//
//	func TestStorage(t *testing.T) {
//		storagetest.Run(t, func(t *testing.T) storagetest.Opener {
//			path := filepath.Join(t.TempDir(), "store")
//			return func() (engine.Storage, error) { return boltstorage.Open(path) }
//		})
//	}
//
// [Faulty] wraps any storage in one that fails at a chosen call.
package storagetest
