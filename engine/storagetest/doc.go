// Package storagetest is the one suite that every [engine.Storage] passes: the
// promises of the interface one by one, and the engine on top of it with
// random work, failures and restarts.
//
// An implementation's test is a call of [Run]:
//
//	func TestStorage(t *testing.T) {
//		storagetest.Run(t, func(t *testing.T) storagetest.Store {
//			folder := t.TempDir()
//			return storagetest.InFolder(folder, 0, func() (engine.Storage, error) { return filestorage.Open(folder) })
//		})
//	}
//
// A [Store] also says how a write of it is torn, and how its medium is filled.
//
// [Faulty] wraps any storage in one that fails at a chosen call.
package storagetest
