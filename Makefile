# Sandtable. `make help` lists what there is.

GO      ?= go
# The flags of a release, for builds, tests and checks alike, so that each package is compiled
# once. Only the race detector needs cgo.
export GOFLAGS     := $(filter-out -trimpath,$(GOFLAGS)) -trimpath
export CGO_ENABLED := 0
# Its own version, see "sandtable version"; -buildvcs=false leaves the commit out.
VERSION ?= $(shell git describe --always --dirty 2>/dev/null || echo unknown)
NATIVE  := -buildvcs=false -ldflags "-s -w -X main.release=$(VERSION)"
RELEASE := -buildvcs=false -ldflags "-s -w"
# For WebAssembly, with a garbage collector that lets events run (docs/decisions/0025-collections.md).
OVERLAY := -overlay "$(CURDIR)/build/runtime.json"
WASM    := GOOS=js GOARCH=wasm $(GO) build $(RELEASE) $(OVERLAY)
WASMENV := GOOS=js GOARCH=wasm GOFLAGS='-trimpath "-overlay=$(CURDIR)/build/runtime.json"'
# The page, small: without what it never uses of go-app, and with inlining only where it
# counts (docs/decisions/0024-page-size.md).
INLINED := runtime internal/runtime/... sync/... internal/sync syscall/js strings bytes strconv internal/strconv \
	internal/bytealg unicode/utf8 sandtable/odata/...
SMALL   := -modfile=build/page.mod -gcflags=all=-l $(INLINED:%=-gcflags=%=)
PAGE    := GO=$(GO) ./wasm/app/go-app.sh build && $(WASM) $(SMALL)
ADDR    ?= localhost:8080

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 14

# The files of OVERLAY.
.PHONY: overlay
overlay:
	@mkdir -p build
	@GO=$(GO) ./wasm/runtime.sh build

# The compiler decides by itself what is out of date, and the web app's files
# are only written where they change: a second build is a matter of seconds.
# BEST=-best packs it as small as possible, as releases are: a minute more.
.PHONY: build
build: overlay ## make bin/sandtable, and the web app as static files in dist/
	@mkdir -p bin build
	$(WASM) -o build/engine.wasm ./wasm/worker
	$(WASM) -tags node -o build/engine-node.wasm ./wasm/worker
	$(PAGE) -o build/app.wasm ./wasm/app
	$(GO) run ./wasm/app -engine build/engine.wasm -node-engine build/engine-node.wasm -app build/app.wasm \
		-exec "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" \
		-out dist -packed server/cmd/sandtable/webapp -embed dist/embed -node build/node $(BEST)
	$(GO) build $(NATIVE) -o bin/sandtable ./server/cmd/sandtable

# Its version is in wasm/js/client/package.json.
.PHONY: package
package: build ## make the npm package, for pages and for Node.js: build/sandtable-VERSION.tgz
	@rm -rf build/package && mkdir -p build/package
	@cp -r dist/embed/* build/node/node.* build/node/engine-node.* LICENSE wasm/js/client/package.json wasm/js/client/cli.js wasm/js/client/copy.js wasm/js/client/serve.js build/package
	cd build/package && npm pack --silent --pack-destination ..

# The npm package is packed as small as possible. VERSION is that of
# wasm/js/client/package.json with a v in front.
.PHONY: release
release: ## write the files of a release to build/release: VERSION=v0.1.0, see packaging/README.md
	$(MAKE) package BEST=-best VERSION=$(VERSION)
	$(GO) run ./packaging/release -version $(VERSION)

# Each is a whole site, for any host of static files.
.PHONY: examples
examples: package e2e/node_modules ## make the sites of wasm/js/examples, in build/examples/
	@rm -rf build/examples build/vite && mkdir -p build/examples
	@for site in javascript-sdk own-worker go-sdk elements; do \
		cp -r wasm/js/examples/$$site build/examples/ && cp dist/embed/*.js dist/embed/*.wasm build/examples/$$site || exit 1; done
	@cp -r dist/embed/explorer build/examples/javascript-sdk/
	@cp -r dist/embed/explorer dist/embed/sandbox dist/embed/editor build/examples/elements/
	cd e2e && npx esbuild @azure/data-tables --bundle --format=esm --minify --log-level=warning \
		--outfile=../build/examples/javascript-sdk/azure-data-tables.js
	cd wasm/js/examples/go-sdk && $(WASM) -o $(CURDIR)/build/examples/go-sdk/go-sdk.wasm .
	@cp "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" build/examples/go-sdk/
	@cp -r wasm/js/examples/vite build/vite && cp build/sandtable-*.tgz build/vite/sandtable.tgz
	cd build/vite && npm install --ignore-scripts --no-audit --no-fund --silent && npm run --silent build
	@cp -r build/vite/dist build/examples/vite

.PHONY: image
image: build ## prepare build/image, from which packaging/README.md builds a container image
	@rm -rf build/image && mkdir -p build/image/data
	@cp bin/sandtable LICENSE packaging/Containerfile build/image/

.PHONY: run
run: build ## make it and serve the web app on http://localhost:8080 (ADDR=host:port)
	bin/sandtable web -addr $(ADDR)

# Each part can be run alone.
.PHONY: test
test: setup lint vendored test-go test-wasm test-js test-e2e ## run every test; installs what is missing on Debian and Ubuntu

.PHONY: setup
setup:
	@.ci/setup

.PHONY: test-fast
test-fast: ## the inner loop: Go and script tests, no browsers, no race detector
	$(GO) test ./...
	$(MAKE) test-js

# Four packages at a time even on two cores, because some tests mostly wait. "make lint" vets them.
.PHONY: test-go
test-go: ## the Go tests, natively, with the race detector; those of the server over PostgreSQL, too
	SANDTABLE_POSTGRESQL=required CGO_ENABLED=1 $(GO) test -race -vet=off -p 4 ./...
	$(GO) test -vet=off -run 'Histories|Model' ./engine -histories=100
	SANDTABLE_POSTGRESQL=required $(GO) test -vet=off ./server -postgres
	$(GO) test -vet=off -run Mutations ./server -mutations

# Go's own runner starts a test in Node.js; ours starts it in a real browser, for IndexedDB.
WASMTEST := GOOS=js GOARCH=wasm $(GO) test -vet=off $(OVERLAY) -tags patched

.PHONY: test-wasm
test-wasm: overlay ## the Go tests for js/wasm, in Node.js and in Chromium, Firefox and WebKit
	@mkdir -p bin
	$(GO) build -o bin/browsertest ./wasm/browsertest
	$(WASMTEST) -exec "$$($(GO) env GOROOT)/lib/wasm/go_js_wasm_exec" ./wasm/internal/... ./wasm/worker ./odata/... ./web/client ./web/control ./engine/eventloop
	$(WASMTEST) -exec "$$($(GO) env GOROOT)/lib/wasm/go_js_wasm_exec" -run TestStorage ./engine/filestorage
	$(MAKE) -j3 --output-sync test-chromium test-firefox test-webkit

.PHONY: test-chromium test-firefox test-webkit
test-chromium test-firefox test-webkit: test-%:
	BROWSER=$* $(WASMTEST) -count=1 -exec "$(CURDIR)/bin/browsertest" ./engine/idbstorage ./engine/eventloop

.PHONY: test-js
test-js: e2e/node_modules ## the types and the unit tests of the modules in wasm/js
	@for part in worker client node; do e2e/node_modules/.bin/tsc -p wasm/js/tsconfig.$$part.json || exit 1; done
	node --test wasm/js/test/*.test.mjs

.PHONY: test-e2e
test-e2e: examples e2e/node_modules ## the Azure SDKs and the page in browsers, against the real build
	cd e2e && $(GO) vet ./... && SANDTABLE_POSTGRESQL=required $(GO) test -vet=off -count=1 ./...
	cd e2e && npm test

e2e/node_modules: e2e/package-lock.json
	cd e2e && npm ci --no-audit --no-fund
	@touch $@

# What the tests do a little of, for hours of one's own. Of a history that fails
# the seed is printed (-seed repeats it), as is that of kills (SEED).
HISTORIES ?= 5000
STOPS ?= 50
KILLS ?= 10
COPIED ?= 1000000
STEPS ?= 1000

.PHONY: setup-long
setup-long:
	@.ci/setup long

.PHONY: test-long
test-long: setup-long build e2e/node_modules ## (over an hour, needs strace) thousands of histories with crashes in every storage, kills, power failures, random use of the page, all fuzz targets
	@mkdir -p bin
	$(GO) build -o bin/browsertest ./wasm/browsertest
	$(GO) test -count=1 -timeout 0 -run Histories ./engine ./engine/filestorage -histories=$(HISTORIES)
	$(WASMTEST) -count=1 -timeout 0 -exec "$(CURDIR)/bin/browsertest" -run Histories ./engine/idbstorage -histories=$(HISTORIES)
	$(GO) test -count=3 -timeout 0 -run Kill ./engine/filestorage
	GOTMPDIR="$${TMPDIR:-/tmp}" TMPDIR="$$(test -w /dev/shm && echo /dev/shm || echo "$${TMPDIR:-/tmp}")" \
		$(GO) test -count=1 -timeout 0 -run Power -v ./engine/filestorage -power
	$(GO) test -count=1 -timeout 0 -run Kill -v ./server/cmd/sandtable -copied=$(COPIED) -copykills=10
	cd e2e && $(GO) test -count=1 -timeout 0 ./linear -for 10m -kills 100
	cd e2e && STOPS=$(STOPS) KILLS=$(KILLS) SANDTABLE_TEST_TIMEOUT=Infinity node --test app/killed.test.mjs
	cd e2e && STEPS=$(STEPS) node --test --test-concurrency=1 random/random.test.mjs
	$(MAKE) fuzz

# The bundles are committed, so that a build needs neither Node.js nor npm.
.PHONY: vendor
vendor: ## bundle the npm packages that the playground uses, after a change of their versions
	cd wasm/js/vendor && npm ci --ignore-scripts --no-audit --no-fund && node build.mjs

.PHONY: vendored
vendored: vendor
	git diff --exit-code --stat -- wasm/js/vendor

.PHONY: size
size: overlay ## what the WebAssembly of the worker and of the page weighs, its largest packages, and the editor and the SDK
	@mkdir -p build
	$(WASM) -o build/engine.wasm ./wasm/worker
	$(GO) run ./wasm/size -promise 1.4 build/engine.wasm ./wasm/worker
	$(PAGE) -o build/app.wasm ./wasm/app
	$(GO) build -o bin/size ./wasm/size
	GOFLAGS="$(SMALL)" bin/size -promise 2.0 build/app.wasm ./wasm/app wasm/js/vendor/codemirror.js wasm/js/vendor/azure-data-tables.js

.PHONY: bench
bench: bench-browser size ## what things cost: in Chromium, and natively
	$(GO) test -run '^$$' -bench . -benchmem ./odata/... ./engine/... ./server/...
	@mkdir -p bin
	$(GO) build -o bin/browsertest ./wasm/browsertest
	$(WASMTEST) -exec "$(CURDIR)/bin/browsertest" -run '^$$' -bench Turns ./engine/idbstorage
	@echo 'make bench-peers compares the native server with Azurite, which it installs'

# Dexie is installed for this alone. PARTS="requests store" are some of the
# parts; e2e/bench/bench.mjs says what else can be chosen.
.PHONY: bench-browser
bench-browser: build e2e/node_modules e2e/bench/node_modules ## in Chromium, httpClient in Firefox and WebKit too; compared with Dexie, which it installs from npm (15 minutes)
	cd e2e && node bench/bench.mjs $(PARTS)

e2e/bench/node_modules: e2e/bench/package-lock.json
	cd e2e/bench && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

# Azurite is installed for this alone; "make test" does not need it.
.PHONY: bench-peers
bench-peers: build e2e/peers/node_modules ## the native server compared with Azurite, which it installs from npm, and with a server of constants (3 minutes)
	cd e2e && $(GO) run ./peers

.PHONY: test-azurite
test-azurite: build e2e/peers/node_modules ## copies tables to Azurite and back
	cd e2e && $(GO) test -count=1 -run Azurite -v ./peers

.PHONY: bench-postgresql
bench-postgresql: build ## 1, 2 and 4 servers on one PostgreSQL, compared with the file store and with pgx alone (2 minutes)
	cd e2e && $(GO) run ./peers -postgresql

e2e/peers/node_modules: e2e/peers/package-lock.json
	cd e2e/peers && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

SIZES ?= 10000,100000,1000000

.PHONY: bench-growth
bench-growth: ## what the engine costs as a store grows to SIZES entities, and with unusual tables (5 minutes)
	cd e2e && $(GO) run ./growth -sizes $(SIZES)

# Packages that have files of their own for WebAssembly: all others are the same there.
WASMONLY = $$(GOOS=js GOARCH=wasm $(GO) list -e -f '{{if .GoFiles}}{{.ImportPath}}{{end}}' \
	$$($(GO) list -f '{{if .IgnoredGoFiles}}{{.ImportPath}}{{end}}' ./...))

# Vetted with -race, so that the tests find compiled what they need.
.PHONY: lint
lint: overlay ## formatting, vet, staticcheck, the order of files, for both platforms, and plain words
	@test -z "$$(gofmt -l .)" || { echo "not formatted:"; gofmt -l .; exit 1; }
	CGO_ENABLED=1 $(GO) vet -race ./...
	$(WASMENV) $(GO) vet $(WASMONLY)
	$(WASMENV) $(GO) vet -tags patched ./engine/eventloop
	$(WASMENV) $(GO) vet -tags node ./wasm/worker
	$(GO) tool staticcheck ./...
	$(WASMENV) $$($(GO) tool -n staticcheck) $(WASMONLY)
	@mkdir -p bin
	cd e2e && $(GO) build -o ../bin/order ./order
	bin/order . ./...
	$(WASMENV) bin/order . ./...
	@.ci/words

FUZZTIME ?= 60s

# All of them run, and those that failed are named in the end. Go sometimes fails
# one with "context deadline exceeded" when its time is over; such a one found nothing.
.PHONY: fuzz
fuzz: ## every fuzz target, FUZZTIME each (60s)
	@failed=; for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$package || failed="$$failed $$target"; \
		done; \
	done; test -z "$$failed" || { echo "failed:$$failed"; exit 1; }
