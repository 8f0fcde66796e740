#!/bin/sh
# go-app.sh FOLDER copies go-app to FOLDER/go-app without its HTTP server, and writes
# FOLDER/page.mod, a go.mod that uses the copy. The page never serves anything, but the
# server brings net/http and cryptography along: docs/decisions/0024-page-size.md.
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
cd - >/dev/null
cp go.mod "$1/page.mod"
cp go.sum "$1/page.sum"
"${GO:-go}" mod edit -replace "$module=./$to" "$1/page.mod"
