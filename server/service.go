package server

import (
	"fmt"
	"time"

	"sandtable/server/message"
	"sandtable/server/xmldoc"
)

// Get Table Service Properties, https://learn.microsoft.com/rest/api/storageservices/get-table-service-properties
// Set Table Service Properties, https://learn.microsoft.com/rest/api/storageservices/set-table-service-properties
// Get Table Service Stats, https://learn.microsoft.com/rest/api/storageservices/get-table-service-stats

func prepareGetServiceProperties(r *request) (command, error) {
	// The first version with CORS rules and metrics by the minute is that with JSON.
	write := xmldoc.AppendProperties
	if r.version < versionJSON {
		write = xmldoc.AppendOldProperties
	}
	return command{run: func(tx Tx, _ Table) (reply, error) {
		account, err := tx.Account()
		if err != nil {
			return reply{}, err
		}
		properties, err := propertiesOf(account)
		if err != nil {
			return reply{}, fmt.Errorf("stored service properties: %v", err) // %v: the request is not to blame
		}
		return document(message.StatusOK, write(nil, properties)), nil
	}}, nil
}

func prepareSetServiceProperties(r *request) (command, error) {
	parse := xmldoc.ParseUpdate
	if r.version < versionJSON {
		parse = xmldoc.ParseOldUpdate
	}
	update, err := parse(r.body)
	if err != nil {
		return command{}, err
	}
	return command{run: func(tx Tx, _ Table) (reply, error) {
		account, err := tx.Account()
		if err != nil {
			return reply{}, err
		}
		properties, err := propertiesOf(account)
		if err != nil {
			properties = xmldoc.Properties{} // the way out of a corrupt document
		}
		account.Properties = string(xmldoc.AppendProperties(nil, update.Apply(properties)))
		return document(message.StatusAccepted, nil), tx.PutAccount(account)
	}}, nil
}

// prepareGetServiceStats answers for a secondary that is this store itself,
// and so never behind, unless a fault makes it show an older state.
func prepareGetServiceStats(r *request) (command, error) {
	if !r.secondary {
		return command{}, errStatsOnPrimary
	}
	return command{run: func(tx Tx, _ Table) (reply, error) {
		synced := tx.Now().Time().Truncate(time.Second).Format(message.TimeFormat)
		return document(message.StatusOK, xmldoc.AppendStats(nil, "live", synced)), nil
	}}, nil
}
