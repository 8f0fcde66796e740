#!/bin/sh
# runtime.sh FOLDER writes FOLDER/runtime.json, an overlay for go build with which garbage
# collections let events run. When no goroutine can run, Go's garbage collector marks until
# it is done, and no event runs meanwhile. With the overlay it marks for at most four
# milliseconds after each event; where no event comes, a timer is one:
# docs/decisions/0025-collections.md.
set -eu
source=$("${GO:-go}" env GOROOT)/src/runtime
mkdir -p "$1/runtime"
to=$(cd "$1/runtime" && pwd)
sed 's/ && gcShouldScheduleWorker(pp) && gcController.addIdleMarkWorker() {/ \&\& mayMark()&/
	s/^func pollWork() bool {$/& if !mayMark() { return true }/' "$source/proc.go" >"$to/proc.new"
sed 's/^func handleEvent() {$/& turnStart = nanotime()/
	s/^func beforeIdle(now, pollUntil int64).* {$/& now, pollUntil = goOnMarking(now, pollUntil)/' "$source/lock_js.go" >"$to/lock_js.new"
cat >>"$to/lock_js.new" <<'END'

// turnStart is when JavaScript called the program last.
var turnStart int64

// mayMark reports whether an idle program may mark, rather than return to JavaScript.
func mayMark() bool { return nanotime()-turnStart < 4e6 }

// goOnMarking makes the program wait for at most a millisecond while it marks.
func goOnMarking(now, pollUntil int64) (int64, int64) {
	if gcBlackenEnabled == 0 {
		return now, pollUntil
	}
	now = nanotime()
	if pollUntil == 0 || pollUntil > now+1e6 {
		pollUntil = now + 1e6
	}
	return now, pollUntil
}
END
if [ "$(cat "$to/proc.new" "$to/lock_js.new" | grep -c 'mayMark() &&\|{ if !mayMark\|{ turnStart =\|{ now, pollUntil =')" = 4 ]; then
	replace="\"$source/proc.go\": \"$to/proc\", \"$source/lock_js.go\": \"$to/lock_js\""
else
	echo "This version of Go is not known: in browsers its garbage collections will hold the thread." >&2
	replace=
fi
# The compiler takes a file for changed by its time. Without .go in its name it belongs to no package.
for file in proc lock_js; do
	cmp -s "$to/$file.new" "$to/$file" || cp "$to/$file.new" "$to/$file"
	rm "$to/$file.new"
done
echo "{\"Replace\": {$replace}}" >"$1/runtime.json"
