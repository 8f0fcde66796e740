package scenario

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"sandtable/server"
)

// developmentURL is the Table endpoint of an emulator, for UseDevelopmentStorage=true.
//
// https://learn.microsoft.com/azure/storage/common/storage-connect-azurite
const developmentURL = "http://127.0.0.1:10002/" + server.WellKnownAccount

// requestTimeout bounds one request.
const requestTimeout = 60 * time.Second

// ErrConnectionString is a connection string that names no account or no key.
var ErrConnectionString = errors.New("connection string needs AccountName and AccountKey, or UseDevelopmentStorage=true")

// Connect returns the endpoint that a storage connection string names.
//
// https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string
func Connect(connectionString string) (*Endpoint, error) {
	e := &Endpoint{Client: &http.Client{Timeout: requestTimeout}}
	values := map[string]string{"DefaultEndpointsProtocol": "https", "EndpointSuffix": "core.windows.net"}
	for field := range strings.SplitSeq(connectionString, ";") {
		if name, value, ok := strings.Cut(strings.TrimSpace(field), "="); ok {
			values[name] = value
		}
	}
	if values["UseDevelopmentStorage"] == "true" {
		values["AccountName"], values["AccountKey"], values["TableEndpoint"] = server.WellKnownAccount, server.WellKnownKey, developmentURL
	}
	key, err := base64.StdEncoding.DecodeString(values["AccountKey"])
	if err != nil {
		return nil, fmt.Errorf("%w: AccountKey is not base64", ErrConnectionString)
	}
	if e.Account, e.Key = values["AccountName"], key; e.Account == "" || len(key) == 0 {
		return nil, ErrConnectionString
	}
	if e.URL = strings.TrimSuffix(values["TableEndpoint"], "/"); e.URL == "" {
		e.URL = values["DefaultEndpointsProtocol"] + "://" + e.Account + ".table." + values["EndpointSuffix"]
	}
	return e, nil
}
