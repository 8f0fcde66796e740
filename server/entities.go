package server

import (
	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server/auth"
	"sandtable/server/message"
)

// Insert Entity, https://learn.microsoft.com/rest/api/storageservices/insert-entity
// Update Entity, https://learn.microsoft.com/rest/api/storageservices/update-entity2
// Merge Entity, https://learn.microsoft.com/rest/api/storageservices/merge-entity
// Delete Entity, https://learn.microsoft.com/rest/api/storageservices/delete-entity1
// Insert Or Replace Entity, https://learn.microsoft.com/rest/api/storageservices/insert-or-replace-entity
// Insert Or Merge Entity, https://learn.microsoft.com/rest/api/storageservices/insert-or-merge-entity

func prepareGetEntity(r *request) (command, error) {
	selection, err := readSelect(r.query)
	if err != nil {
		return nil, err
	}
	return func(tx *engine.Tx) (*reply, error) {
		table, err := r.table(tx)
		if err != nil {
			return nil, err
		}
		// Outside of the keys of a SAS an entity is as if it were not there.
		if !r.grant.Keys().Contains(r.path.Key) {
			return nil, engine.ErrEntityNotFound
		}
		entity, err := table.Get(r.path.Key)
		if err != nil {
			return nil, err
		}
		body := r.encoder(selection, tx.Now()).AppendEntity(bodyBuffer(entity), r.path.Table, entity)
		return &reply{status: message.StatusOK, etag: entity.ETag(), contentType: r.representation.entryType(), body: body}, nil
	}, nil
}

func prepareInsertEntity(r *request) (command, error) {
	body, err := r.decodeEntity()
	if err != nil {
		return nil, err
	}
	key, err := body.Key()
	if err != nil {
		return nil, err
	}
	if err := r.checkInsert(key, body.Properties); err != nil {
		return nil, err
	}
	if !r.grant.Keys().Contains(key) {
		return nil, auth.ErrAuthorizationFailure
	}
	// An entity group transaction needs the key, and finds it in the path.
	r.path.Key = key
	properties := body.Properties
	return func(tx *engine.Tx) (*reply, error) {
		table, err := r.table(tx)
		if err != nil {
			return nil, err
		}
		entity, err := table.Insert(key, properties)
		if err != nil {
			return nil, err
		}
		return inserted(r, entity), nil
	}, nil
}

func (r *request) checkInsert(key odata.Key, properties []odata.Property) error {
	if err := odata.CheckKey(odata.PartitionKeyName, key.PartitionKey); err != nil {
		return err
	}
	if err := odata.CheckKey(odata.RowKeyName, key.RowKey); err != nil {
		return err
	}
	return r.checkEntity(properties)
}

// dataServiceID returns what the header of this name says, which Cosmos DB
// does not have.
func (r *request) dataServiceID(location string) string {
	if r.cosmos {
		return ""
	}
	return location
}

func inserted(r *request, entity *odata.Entity) *reply {
	done := &reply{status: message.StatusNoContent, etag: entity.ETag(), location: r.location(entity.Key()), preference: r.preference}
	if r.preference == preferNoContent {
		done.dataServiceID = r.dataServiceID(done.location)
		return done
	}
	done.status = message.StatusCreated
	done.contentType = r.representation.entryType()
	done.body = r.encoder(selection{}, entity.Timestamp).AppendEntity(bodyBuffer(entity), r.path.Table, entity)
	return done
}

// location returns the address of an entity of the request's table.
func (r *request) location(key odata.Key) string {
	var room [256]byte
	path := odata.Path{Resource: odata.EntityResource, Table: r.path.Table, Key: key}
	return string(path.AppendText(append(room[:0], r.base...)))
}

func prepareUpdateEntity(r *request) (command, error) {
	return prepareChange(r, (*engine.Table).Replace)
}

func prepareMergeEntity(r *request) (command, error) {
	return prepareChange(r, (*engine.Table).Merge)
}

// prepareChange reads a Replace or a Merge, with or without a condition. The
// keys in the body do not count; those in the address do.
func prepareChange(
	r *request,
	change func(*engine.Table, odata.Key, []odata.Property, engine.Condition) (*odata.Entity, error),
) (command, error) {
	condition, err := r.ifMatch()
	if err != nil {
		return nil, err
	}
	body, err := r.decodeEntity()
	if err != nil {
		return nil, err
	}
	if err := r.checkEntity(body.Properties); err != nil {
		return nil, err
	}
	if !r.grant.Keys().Contains(r.path.Key) {
		return nil, auth.ErrAuthorizationFailure
	}
	return func(tx *engine.Tx) (*reply, error) {
		table, err := r.table(tx)
		if err != nil {
			return nil, err
		}
		entity, err := change(table, r.path.Key, body.Properties, condition)
		if err != nil {
			return nil, r.conditionError(err)
		}
		return &reply{status: message.StatusNoContent, etag: entity.ETag()}, nil
	}, nil
}

func prepareDeleteEntity(r *request) (command, error) {
	condition, err := r.ifMatch()
	if err != nil {
		return nil, err
	}
	if condition == engine.Upsert {
		return nil, errIfMatchMissing
	}
	if !r.grant.Keys().Contains(r.path.Key) {
		return nil, auth.ErrAuthorizationFailure
	}
	return func(tx *engine.Tx) (*reply, error) {
		table, err := r.table(tx)
		if err != nil {
			return nil, err
		}
		if err := table.Delete(r.path.Key, condition); err != nil {
			return nil, r.conditionError(err)
		}
		return &reply{status: message.StatusNoContent}, nil
	}, nil
}
