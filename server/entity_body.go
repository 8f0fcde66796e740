package server

import (
	"sandtable/odata"
	"sandtable/odata/payload"
)

// readInsert reads and checks the body of an insert.
func (r *request) readInsert() (odata.Key, []odata.Property, error) {
	body, err := r.decodeEntity()
	if err != nil {
		return odata.Key{}, nil, err
	}
	key, err := body.Key()
	if err != nil {
		return key, nil, err
	}
	if err := r.checkKey(key); err != nil {
		return key, nil, err
	}
	return key, body.Properties, odata.CheckEntity(body.Properties, *r.limits)
}

// readProperties reads and checks the body of a replace or a merge.
func (r *request) readProperties() ([]odata.Property, error) {
	body, err := r.decodeEntity()
	if err != nil {
		return nil, err
	}
	return body.Properties, odata.CheckEntity(body.Properties, *r.limits)
}

func (r *request) decodeEntity() (payload.Body, error) {
	decode := payload.DecodeEntityInPlace
	if r.bodyFormat == formatAtom {
		decode = payload.DecodeAtomEntity
	}
	body, err := decode(r.body)
	if r.cosmos {
		body.Properties = odata.CosmosProperties(body.Properties)
	}
	return body, err
}

// checkGivenKey refuses an empty key of a new entity, which Cosmos DB does not have.
func (r *request) checkGivenKey(key odata.Key) error {
	if r.cosmos && (key.PartitionKey == "" || key.RowKey == "") {
		return payload.ErrKeyMissing
	}
	return nil
}

func (r *request) checkKey(key odata.Key) error {
	if err := r.checkGivenKey(key); err != nil {
		return err
	}
	if err := odata.CheckKey(odata.PartitionKeyName, key.PartitionKey); err != nil {
		return err
	}
	return odata.CheckKey(odata.RowKeyName, key.RowKey)
}

// decodeTableName reads the body of a request that creates a table.
func (r *request) decodeTableName() (string, error) {
	if r.bodyFormat == formatAtom {
		return payload.DecodeAtomTableName(r.body)
	}
	return payload.DecodeTableName(r.body)
}
