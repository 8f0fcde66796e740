package server

import (
	"time"

	"sandtable/engine"
	"sandtable/server/message"
	"sandtable/server/xmldoc"
)

// Get Table Service Properties, https://learn.microsoft.com/rest/api/storageservices/get-table-service-properties
// Set Table Service Properties, https://learn.microsoft.com/rest/api/storageservices/set-table-service-properties
// Get Table Service Stats, https://learn.microsoft.com/rest/api/storageservices/get-table-service-stats

// versionCORS is the first version with CORS rules and metrics by the minute.
const versionCORS = "2013-08-15"

func prepareGetServiceProperties(r *request) (command, error) {
	return func(tx *engine.Tx) (*reply, error) {
		account, err := tx.Account(r.account)
		if err != nil {
			return nil, err
		}
		properties, err := propertiesOf(account)
		if err != nil {
			return nil, err
		}
		if r.version < versionCORS {
			return document(message.StatusOK, xmldoc.AppendOldProperties(nil, properties)), nil
		}
		return document(message.StatusOK, xmldoc.AppendProperties(nil, properties)), nil
	}, nil
}

func prepareSetServiceProperties(r *request) (command, error) {
	parse := xmldoc.ParseUpdate
	if r.version < versionCORS {
		parse = xmldoc.ParseOldUpdate
	}
	update, err := parse(r.body)
	if err != nil {
		return nil, err
	}
	return func(tx *engine.Tx) (*reply, error) {
		account, err := tx.Account(r.account)
		if err != nil {
			return nil, err
		}
		properties, err := propertiesOf(account)
		if err != nil {
			properties = xmldoc.Properties{} // the way out of a document that cannot be read
		}
		account.Properties = string(xmldoc.AppendProperties(nil, update.Apply(properties)))
		return document(message.StatusAccepted, nil), tx.PutAccount(account)
	}, nil
}

// propertiesOf reads the service properties of an account from the document
// that is stored.
func propertiesOf(account engine.Account) (xmldoc.Properties, error) {
	if account.Properties == "" {
		return xmldoc.Properties{}, nil
	}
	return xmldoc.ParseProperties([]byte(account.Properties))
}

// prepareGetServiceStats answers for a secondary that is this store itself,
// and so never behind.
func prepareGetServiceStats(r *request) (command, error) {
	if !r.secondary {
		return nil, errStatsOnPrimary
	}
	return func(tx *engine.Tx) (*reply, error) {
		synced := tx.Now().Time().Truncate(time.Second).Format(message.TimeFormat)
		return document(message.StatusOK, xmldoc.AppendStats(nil, "live", synced)), nil
	}, nil
}
