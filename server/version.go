package server

import (
	"cmp"
	"net/url"
	"time"
)

// Versions of the service from which something differs.
//
// Source: "Versioning for the Azure Storage services"; recordings.
const (
	versionOldest          = "2009-04-14"
	versionInResponses     = "2009-09-19" // x-ms-version is echoed
	versionUpsert          = "2011-08-18" // PUT and MERGE without If-Match
	versionJSON            = "2013-08-15" // JSON, Prefer, CORS; data service version 3.0
	versionSeparateSAS     = "2014-02-14" // the version of a SAS is no longer that of the request
	versionETags           = "2015-04-05" // odata.etag at minimal metadata
	versionForbidden       = "2015-04-05" // 403 for what a SAS does not allow, which was 404
	versionWithoutAtom     = "2015-12-11"
	versionDetails         = "2016-05-31" // InvalidInput says what is wrong; InvalidDuplicateRow
	versionErrorCodeHeader = "2017-07-29" // x-ms-error-code
	versionMismatches      = "2017-11-09" // the error names what a SAS lacks
	versionClientRequestID = "2019-02-02" // x-ms-client-request-id is echoed
	versionChallenge       = "2020-12-06" // 401 for requests without credentials
	versionCosmosTyped     = "2020-12-06" // a 204 of Cosmos DB has a type, as all have since March 2022
	versionNewest          = "2026-06-06"
)

// header is what a request's headers and those of an operation in a batch
// have in common.
type header interface{ Get(name string) string }

// readVersion finds the version that applies: for a SAS the parameter
// api-version, x-ms-version or sv, in this order, and sv alone where that is
// older than the parameter; otherwise x-ms-version. A request without a version
// and without credentials is our own extension and speaks the newest.
func readVersion(query url.Values, h header) (version string, named bool, err error) {
	version = h.Get("x-ms-version")
	signed := h.Get("Authorization") != ""
	if query.Has("sig") && !signed {
		sv := query.Get("sv")
		if version = cmp.Or(query.Get("api-version"), version, sv); checkVersion(sv) && sv < versionSeparateSAS {
			return sv, true, nil
		}
	}
	switch {
	case version == "" && signed:
		return versionOldest, false, nil
	case version == "":
		return versionNewest, false, nil
	case !checkVersion(version):
		return versionOldest, false, errVersion
	}
	return version, true, nil
}

// checkVersion reports whether an x-ms-version or api-version is a date. The
// service accepts the versions it knows; Sandtable accepts every date (C3).
func checkVersion(version string) bool {
	_, err := time.Parse(time.DateOnly, version)
	return err == nil
}

// dataService returns the major data service version of a request: what answers
// of its service version have, capped by MaxDataServiceVersion or
// DataServiceVersion. Before 2013-08-15 they need no more than 1, as recorded,
// though requests may have 2.
//
// Source: "Setting the OData data service version headers"; recordings.
func dataService(h header, version string) int {
	has := 3
	if version < versionJSON {
		has = 1
	}
	if limit := cmp.Or(h.Get("MaxDataServiceVersion"), h.Get("DataServiceVersion")); limit != "" && limit[0] >= '1' && limit[0] <= '9' {
		return min(has, int(limit[0]-'0'))
	}
	return has
}
