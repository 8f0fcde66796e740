package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"syscall/js"
	"time"

	"sandtable/engine"
	"sandtable/engine/eventloop"
	"sandtable/server"
	"sandtable/server/control"
	"sandtable/wasm/internal/jshttp"
)

// eventTime limits a response with events, because a worker is neither replaced nor
// stopped before its last response has ended.
const eventTime = 10 * time.Second

func main() {
	script := js.Global().Get("sandtable") // it is gone after the first turn
	if err := run(script); err != nil {
		text, reason := explain(err)
		script.Call("failed", text, reason)
		os.Exit(1)
	}
}

// run serves until the script closes the program or the store is gone.
func run(script js.Value) error {
	store, err := openStore(script)
	if err != nil {
		return err
	}
	db, err := engine.Open(store.storage, engine.Options{Yield: eventloop.Yield})
	if err != nil {
		return fmt.Errorf("open the store: %w", err)
	}
	account := server.WellKnown(engine.OpenAccess)
	if err := createFirstAccount(db, account); err != nil {
		return fmt.Errorf("create %s: %w", server.WellKnownAccount, err)
	}
	handler := control.New(db, server.Options{}, control.Options{
		Folder:        script.Get("site").String(),
		Build:         script.Get("build").String(),
		Store:         store.kind,
		Durability:    store.durability,
		SetDurability: store.setDurability,
		Overrides:     store.overrides,
		Accounts:      []engine.Account{account},
		Space:         space,
		EventTime:     eventTime,
		RecordBodies:  true,
	})
	closed := make(chan struct{})
	bridge := jshttp.NewBridge(handler, jshttp.Script{
		Buffer: script.Get("buffer"), Settle: script.Get("settle"),
		Begin: script.Get("begin"), Chunk: script.Get("chunk"), End: script.Get("end"),
	}, report)
	script.Call("ready", bridge.Func(), js.FuncOf(func(js.Value, []js.Value) any {
		close(closed) // the script calls this once
		return nil
	}), bridge.ReaderFunc(), store.identity(), watchFunc(handler, script.Get("event")))
	select {
	case <-closed:
	case <-store.lost:
		// The script starts another program, which creates a new store.
		script.Call("deleted")
	case <-store.fenced:
		// Another worker has the store. The next request acquires it again.
		script.Call("fenced")
	}
	handler.Close()
	return db.Close()
}

// watchFunc returns the function by which the script subscribes to events, which
// are calls of event(kind, data), and unsubscribes.
func watchFunc(handler *control.Handler, event js.Value) js.Func {
	cancel := func() {}
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		cancel()
		cancel = func() {}
		report := func(e control.Event) { event.Invoke(e.Kind, string(e.Data)) }
		switch args[0].String() { // see Watched in protocol.js
		case "events":
			cancel = handler.Subscribe(report)
		case "values":
			cancel = handler.SubscribeValues(report)
		}
		return nil
	})
}

// createFirstAccount creates an account in a store that has none.
func createFirstAccount(db *engine.DB, account engine.Account) error {
	exists := false
	err := db.View(func(tx *engine.Tx) error {
		for range tx.Accounts() {
			exists = true
			break
		}
		return nil
	})
	if err != nil || exists {
		return err
	}
	return db.Update(func(tx *engine.Tx) error { return tx.PutAccount(account) })
}

// report writes a panic and its stack to the worker's console.
func report(panicked any) {
	js.Global().Get("console").Call("error", fmt.Sprintf("sandtable: panic: %v\n%s", panicked, debug.Stack()))
}
