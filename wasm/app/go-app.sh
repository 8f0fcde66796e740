#!/bin/sh
# go-app.sh FOLDER copies go-app to FOLDER/go-app, without what the page never uses and
# without the wait before it draws, and writes FOLDER/page.mod, a go.mod that uses the copy.
# go-app's HTTP server brings net/http along, and its encryption and routes by pattern two
# more large packages: docs/decisions/0024-page-size.md.
set -eu
module=github.com/maxence-charriere/go-app/v10
source=$("${GO:-go}" mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
to=$1/go-app
rm -rf "$to"
mkdir -p "$to/pkg"
cp "$source/go.mod" "$to"
cp -r "$source/pkg/app" "$source/pkg/errors" "$to/pkg"
chmod -R u+w "$to"
cd "$to/pkg/app"
rm http.go *_test.go
# Of resource.go, whose other half serves files, a client needs these functions; wasm.go
# names the type.
{
	printf 'package app\n\nimport "strings"\n\ntype Handler struct{}\n\n'
	sed -n '/^func \(clientResourceResolver\|remoteLocation\|webLocation\)(/,/^}/p' "$source/pkg/app/resource.go"
} >resource.go
# ctx.Encrypt and ctx.Decrypt.
{
	printf 'package app\n\nimport "errors"\n\nvar errCrypto = errors.New("this copy of go-app has no encryption")\n\n'
	printf 'func encrypt(string, []byte) ([]byte, error) { return nil, errCrypto }\n\n'
	printf 'func decrypt(string, []byte) ([]byte, error) { return nil, errCrypto }\n'
} >crypto.go
sed -i.bak '/"regexp"/d; /routesWithRegexp  *\[\]/d
	/^func (r \*router) routeWithRegexp/,/^}/d; /for _, rwr := range/,/^\t}/d; /^type regexpRoute/,/^}/d' route.go
sed -i.bak '/^\/\/ RouteWithRegexp /,/^}/d' app.go
# After an event go-app waits for 1/120 s before it draws: what is drawn is a frame late.
sed -i.bak 's/engine.Start(120)/engine.Start(1000)/' app.go
grep -q 'engine.Start(1000)' app.go
rm ./*.bak
"$("${GO:-go}" env GOROOT)/bin/gofmt" -w . # for make lint, which looks at all files
cd - >/dev/null
cp go.mod "$1/page.mod"
cp go.sum "$1/page.sum"
"${GO:-go}" mod edit -replace "$module=./$to" "$1/page.mod"
