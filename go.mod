module sandtable

go 1.26

require (
	github.com/andybalholm/brotli v1.2.8
	github.com/hack-pad/go-indexeddb v0.3.2
	github.com/maxence-charriere/go-app/v10 v10.1.11
	github.com/tidwall/btree v1.8.2
	go.etcd.io/bbolt v1.4.3
)

require (
	github.com/google/uuid v1.6.0 // indirect
	github.com/hack-pad/safejs v0.1.0 // indirect
	golang.org/x/sys v0.29.0 // indirect
)
