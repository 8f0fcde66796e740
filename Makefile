# Sandtable. `make help` lists what there is.

GO      ?= go
RELEASE := -trimpath -buildvcs=false -ldflags "-s -w"
WASM    := GOOS=js GOARCH=wasm $(GO) build $(RELEASE)
ADDR    ?= localhost:8080

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 14

# The compiler decides by itself what is out of date, and the web app's files
# are only written where they change: a second build is a matter of seconds.
.PHONY: build
build: ## make bin/sandtable, and the web app as static files in dist/
	@mkdir -p bin build
	$(WASM) -o build/engine.wasm ./wasm/worker
	$(WASM) -o build/app.wasm ./wasm/app
	$(GO) run ./wasm/app -engine build/engine.wasm -app build/app.wasm \
		-exec "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" \
		-out dist -out server/cmd/sandtable/webapp
	$(GO) build $(RELEASE) -o bin/sandtable ./server/cmd/sandtable

.PHONY: run
run: build ## make it and serve the web app on http://localhost:8080 (ADDR=host:port)
	bin/sandtable web -addr $(ADDR)
