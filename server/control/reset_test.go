package control_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/control"
)

func TestResetAll(t *testing.T) {
	f := newFixtureWith(t, func(o *options) { o.service.TableDeletion = time.Hour })
	f.fill(testAccount, "things", 10)
	f.do("DELETE", "/Tables('things')", "").wantStatus(204)
	f.do("POST", "/Tables", `{"TableName":"things"}`).wantStatus(409)
	f.fill("strictaccount", "others", 5)
	f.control("POST", "reset", `{"what":"all"}`).wantStatus(200).wantBody(`{"accounts":2,"tables":1,"entities":5}`)
	f.control("GET", "accounts", "").wantBody(`{"accounts":[{"name":"devstoreaccount1","access":"open","tables":0,"entities":0}]}`)
	f.control("GET", "requests", "").wantStatus(200)
	if r := f.control("GET", "requests", ""); !strings.HasSuffix(r.body, `"requests":[]}`) {
		t.Errorf("requests are left: %s", r.body)
	}
	// The well-known account has its key, and a deleted table's name can be reused.
	f.do("POST", "/Tables", `{"TableName":"things"}`).wantStatus(201)
	f.control("POST", "reset", `{"what":"all"}`).wantStatus(200).wantBody(`{"accounts":1,"tables":1,"entities":0}`)
}

// TestResetOfAnUnopenedStore: a store that opens after all is left alone.
func TestResetOfAnUnopenedStore(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.control("POST", "reset", `{"what":"unopened"}`).wantStatus(200).wantBody(`{"accounts":0,"tables":0,"entities":0}`)
	f.do("GET", "/things()", "").wantStatus(200)
}

// TestResetOfNothing: a reset must name its target.
func TestResetOfNothing(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for _, body := range []string{"", "{}", " ", `{"account":"devstoreaccount1"}`} {
		f.control("POST", "reset", body).wantControlError(400, "InvalidInput", `{"what":"all"}`)
	}
	f.do("GET", "/things()", "").wantStatus(200)
}

func TestResetAccount(t *testing.T) {
	f := newFixture(t)
	f.fill(testAccount, "things", 10)
	f.fill("strictaccount", "others", 5)
	f.update(func(tx *engine.Tx) error {
		account, err := tx.Account("strictaccount")
		account.Properties = "<x/>"
		if err == nil {
			err = tx.PutAccount(account)
		}
		return err
	})
	f.control("POST", "reset", `{"what":"account","account":"strictaccount"}`).wantStatus(200).wantBody(`{"accounts":1,"tables":1,"entities":5}`)
	f.control("GET", "accounts", "").wantBody(`{"accounts":[{"name":"devstoreaccount1","access":"open","tables":1,"entities":10},` +
		`{"name":"strictaccount","access":"strict","tables":0,"entities":0}]}`)
	if err := f.db.View(func(tx *engine.Tx) error {
		account, err := tx.Account("strictaccount")
		if string(account.Keys[0]) != string(testKey) || account.Properties != "" {
			t.Errorf("the account is %+v", account)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// TestResetOfACorruptStore: a reset removes all corruption for good.
func TestResetOfACorruptStore(t *testing.T) {
	storage := new(engine.MemoryStorage)
	if _, err := storage.Load(); err != nil {
		t.Fatal(err)
	}
	if err := storage.Append(7, []byte("corrupt")); err != nil {
		t.Fatal(err)
	}
	for _, begin := range []string{"WAL record 7", ""} {
		db, err := engine.Open(storage, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := &fixture{T: t, db: db, handler: control.New(db, server.Options{}, control.Options{Accounts: []engine.Account{{Name: testAccount}}})}
		before := f.control("GET", "status", "").body
		if corrupt := !strings.Contains(before, `"corruption":[]`); corrupt != (begin != "") || !strings.Contains(before, begin) {
			t.Errorf("status before: %s", before)
		}
		f.control("POST", "reset", `{"what":"all"}`).wantStatus(200)
		if after := f.control("GET", "status", "").body; !strings.Contains(after, `"corruption":[]`) || !strings.Contains(after, `"accounts":1`) {
			t.Errorf("status after: %s", after)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestResetIsOneStep: a reader sees everything or nothing.
func TestResetIsOneStep(t *testing.T) {
	f := newFixture(t)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				_ = f.db.View(func(tx *engine.Tx) error {
					accounts, tables := 0, 0
					for account := range tx.Accounts() {
						accounts++
						for range tx.Tables(account.Name, "") {
							tables++
						}
					}
					if accounts == 0 || tables%20 != 0 {
						t.Errorf("%d accounts with %d tables", accounts, tables)
					}
					return nil
				})
			}
		})
	}
	for range 30 {
		f.update(func(tx *engine.Tx) error {
			for i := range 20 {
				if err := tx.CreateTable(testAccount, "thing"+string(rune('a'+i))); err != nil {
					return err
				}
			}
			return nil
		})
		f.control("POST", "reset", `{"what":"all"}`).wantStatus(200)
	}
	close(stop)
	readers.Wait()
}
