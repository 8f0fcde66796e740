package server

import (
	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/filter"
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
		return command{}, err
	}
	condition, err := readFilter(r.query)
	if err != nil {
		return command{}, err
	}
	return command{key: r.path.Key, keyed: true, run: func(tx Tx, table Table) (reply, error) {
		// An entity outside the key range of a SAS does not exist for its holder.
		if !r.grant.Keys().Contains(r.path.Key) {
			return reply{}, engine.ErrEntityNotFound
		}
		entity, err := table.Get(r.path.Key)
		if err != nil {
			return reply{}, err
		}
		if !filter.Match(condition, entity) {
			return reply{}, engine.ErrEntityNotFound
		}
		found := reply{
			status: message.StatusOK, etag: r.etag(entity.Timestamp), contentType: r.entryType(),
			statistics: Statistics{Kind: engine.Point.String(), Partitions: 1, Examined: 1, Returned: 1},
		}
		found.writePage(func(b []byte) []byte {
			return r.encoder(selection, tx.Now()).AppendEntity(grow(b, entity), r.path.Table, entity)
		})
		return found, nil
	}}, nil
}

func prepareInsertEntity(r *request) (command, error) {
	key, properties, err := r.readInsert()
	switch {
	case err != nil:
		return command{}, err
	case !r.grant.Keys().Contains(key):
		return command{}, auth.ErrAuthorizationFailure
	}
	return command{key: key, keyed: true, run: func(_ Tx, table Table) (reply, error) {
		entity, err := table.Insert(key, properties)
		if err != nil {
			return reply{}, err
		}
		return r.inserted(entity), nil
	}}, nil
}

func (r *request) inserted(entity *odata.Entity) reply {
	out := reply{status: message.StatusNoContent, etag: r.etag(entity.Timestamp), location: r.location(entity.Key()), preference: r.preference}
	if r.preference == preferNoContent {
		out.dataServiceID = out.location
		return out
	}
	out.status, out.contentType = message.StatusCreated, r.entryType()
	out.body = r.encoder(selection{}, entity.Timestamp).AppendEntity(grow(nil, entity), r.path.Table, entity)
	return out
}

func prepareUpdateEntity(r *request) (command, error) {
	return prepareChange(r, Table.Replace)
}

func prepareMergeEntity(r *request) (command, error) {
	return prepareChange(r, Table.Merge)
}

// prepareChange reads a Replace or a Merge, with or without a condition. The
// keys in the body do not count; those in the address do.
func prepareChange(
	r *request,
	change func(Table, odata.Key, []odata.Property, engine.Condition) (*odata.Entity, error),
) (command, error) {
	condition, err := r.ifMatch()
	if err == nil && condition == engine.Upsert {
		err = r.checkGivenKey(r.path.Key)
	}
	if err != nil {
		return command{}, err
	}
	properties, err := r.readProperties()
	switch {
	case err != nil:
		return command{}, err
	case !r.grant.Keys().Contains(r.path.Key):
		return command{}, auth.ErrAuthorizationFailure
	}
	return command{key: r.path.Key, keyed: true, run: func(_ Tx, table Table) (reply, error) {
		entity, err := change(table, r.path.Key, properties, condition)
		if err != nil {
			return reply{}, r.conditionError(err)
		}
		out := reply{status: message.StatusNoContent, etag: r.etag(entity.Timestamp), preference: r.preference}
		if r.cosmos && condition == engine.Upsert {
			out.contentType = cosmosPlainType
		}
		return out, nil
	}}, nil
}

func prepareDeleteEntity(r *request) (command, error) {
	condition, err := r.ifMatch()
	switch {
	case err != nil:
		return command{}, err
	case condition == engine.Upsert && !r.cosmos:
		return command{}, errIfMatchMissing
	case !r.grant.Keys().Contains(r.path.Key):
		return command{}, auth.ErrAuthorizationFailure
	}
	return command{key: r.path.Key, keyed: true, run: func(_ Tx, table Table) (reply, error) {
		if err := table.Delete(r.path.Key, condition); err != nil {
			return reply{}, r.conditionError(err)
		}
		return reply{status: message.StatusNoContent}, nil
	}}, nil
}
