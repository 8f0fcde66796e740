// Package storagetest is the conformance suite for every [engine.Storage]: it tests
// the interface's promises one by one, and the engine on top of it with random work,
// failures and restarts.
//
// An implementation's test calls [Run]:
//
//	func TestStorage(t *testing.T) {
//		storagetest.Run(t, func(t *testing.T) storagetest.Store {
//			folder := t.TempDir()
//			return storagetest.InFolder(folder, 0, func() (engine.Storage, error) { return filestorage.Open(folder) })
//		})
//	}
//
// A [Store] also defines how its writes are torn and its medium is filled.
//
// [Faulty] wraps a storage and fails at a chosen call.
package storagetest
