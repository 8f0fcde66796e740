package inspect

import (
	"cmp"
	"strconv"
	"strings"

	"sandtable/odata"
	"sandtable/web/control"
)

// What says in a word or two what came of a request: how a query was answered,
// what was written, or what went wrong.
func What(r control.Recorded) string {
	switch {
	case r.Fault != nil && r.Fault.Fails():
		return FaultOf(r)
	case r.Status == 403 && strings.HasPrefix(r.Code, "Authentication"), r.Code == "InvalidAuthenticationInfo":
		return "signature"
	case r.Status == 412:
		return "stale ETag"
	case r.Failed():
		return cmp.Or(r.Code, "failed")
	case r.Operation == Transaction && r.Method == "POST":
		return "transaction"
	case r.Statistics != nil:
		return r.Statistics.Kind
	case r.Method == "OPTIONS":
		return "preflight"
	}
	switch r.Operation {
	case GetEntity, UpdateEntity, MergeEntity, DeleteEntity, InsertOrMergeEntity, InsertOrReplaceEntity:
		return map[string]string{GetEntity: "point", UpdateEntity: "replace", MergeEntity: "merge", DeleteEntity: "delete",
			InsertOrMergeEntity: "upsert", InsertOrReplaceEntity: "upsert"}[r.Operation]
	case InsertEntity:
		return "insert"
	case "Get Table ACL", "Set Table ACL":
		return "policies"
	case "Get Table Service Properties", "Set Table Service Properties":
		return "properties"
	}
	return strings.ToLower(r.Operation)
}

// FaultOf says what the account's faults did to a request, "" if nothing.
func FaultOf(r control.Recorded) string {
	if r.Fault == nil {
		return ""
	}
	effect := map[string]string{
		control.FaultBusy: "503 ServerBusy", control.FaultTimedOut: "500 OperationTimedOut", control.FaultThrottle: "503 throttled",
		control.FaultCut: "connection cut", control.FaultLost: "committed, answer lost",
	}[r.Fault.Effect]
	switch {
	case r.Fault.Effect == control.FaultStale:
		effect = "from an older state"
	case effect == "":
		effect = "delayed"
	case r.Fault.Effect == control.FaultLost && (r.Method == "GET" || r.Status >= 400):
		effect = "answer lost" // nothing was committed
	}
	return effect + " · rule " + strconv.Itoa(r.Fault.Rule)
}

// Matches reports whether a request contains all words of a search. The words
// account:name, table:name, status:404, method:GET and id:… look in one place;
// all ignore case.
func Matches(r control.Recorded, search string) bool {
	all := ""
	for word := range strings.FieldsSeq(strings.ToLower(search)) {
		place, text, ok := strings.Cut(word, ":")
		where := map[string]string{"account": r.Account, "method": r.Method, "status": strconv.Itoa(r.Status), "id": r.RequestID, "code": r.Code}
		if place == "table" && ok {
			where["table"] = tableOf(r)
		}
		value, known := where[place]
		if ok && known {
			if !strings.HasPrefix(strings.ToLower(value), text) {
				return false
			}
			continue
		}
		if all == "" {
			all = strings.ToLower(strings.Join([]string{r.Method, Resource(r), strconv.Itoa(r.Status), r.Operation, What(r), r.Code, r.RequestID, r.Account}, " "))
		}
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

func tableOf(r control.Recorded) string {
	c := addressed(r)
	if c.Path.Resource == odata.TablesResource {
		return r.Table
	}
	return cmp.Or(r.Table, c.Path.Table)
}

// Percentile returns the time, in milliseconds, within which a share of the
// requests was answered, 0 for none.
func Percentile(sorted []float64, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}
