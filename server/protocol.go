package server

import (
	"net/url"

	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/server/message"
)

// protocol is how a request speaks: the rules that apply to it, and the form of
// its answer.
type protocol struct {
	version string // of the service
	// named is set where the request names the version; its answer repeats it.
	named bool
	// cosmos is set at the endpoints of Cosmos DB, which have other limits.
	cosmos bool
	limits *odata.Limits
	// document is set for operations on XML documents, the ones with comp.
	document bool
	// dataService is the major data service version that the answer may use.
	dataService int
	representation
	// formatErr is why the answer cannot have the representation that the request
	// wants. Batches ignore it, and operations on documents.
	formatErr error
	// errorType is the content type of errors of Cosmos DB.
	errorType string
	// preference is the Prefer header, once an operation honours it.
	preference string
}

// readProtocol reads the version and the representation of a whole request. On
// an error, which is about the version, the oldest applies.
func readProtocol(query url.Values, h header, cosmos bool) (protocol, error) {
	version, named, err := readVersion(query, h)
	p := protocol{
		version: version, named: named, cosmos: cosmos, document: query.Get("comp") != "",
		dataService: dataService(h, version), errorType: cosmosTypes[payload.FullMetadata], limits: &odata.StorageLimits,
	}
	if cosmos {
		p.limits = &odata.CosmosLimits
	}
	p.representation, p.formatErr = p.negotiate(query, h)
	return p, err
}

// inBatch returns the protocol of an operation in a batch, which has a
// representation of its own.
func (p protocol) inBatch(query url.Values, h header) protocol {
	p.document = false // whatever the address of the batch says
	p.representation, p.formatErr = p.negotiate(query, h)
	return p
}

// inParts returns the protocol of a batch's errors: full metadata in Cosmos DB.
func (p protocol) inParts() protocol {
	p.errorType = cosmosTypes[payload.FullMetadata]
	return p
}

// asOldest returns the protocol of the same request in the oldest version.
func (p protocol) asOldest(query url.Values, h header) protocol {
	p.version, p.dataService = versionOldest, 1
	p.representation, p.formatErr = p.negotiate(query, h)
	return p
}

func (p protocol) negotiate(query url.Values, h header) (representation, error) {
	if p.cosmos {
		return negotiateCosmos(h, p.document)
	}
	return negotiate(query, h, p.version)
}

// old reports whether answers have the layout and the headers of versions before
// 2013-08-15 (C15).
func (p *protocol) old() bool { return p.version < versionJSON }

// forMethod returns the protocol once the method is known: a representation
// matters neither to documents nor, in Cosmos DB, to DELETE.
func (p protocol) forMethod(method string) protocol {
	switch {
	case !p.cosmos && p.document, p.cosmos && method == message.MethodDelete:
		p.formatErr = nil
	case p.cosmos && !p.document && (method == message.MethodGet || method == message.MethodPost):
		p.errorType = p.entryType()
	case p.anything && method == message.MethodPost:
		p.format = formatAtom
	}
	return p
}

// entryType is the content type of a single entity or table.
func (p protocol) entryType() string {
	switch {
	case p.cosmos && p.anyLevel:
		return cosmosPlainType
	case p.cosmos:
		return cosmosTypes[p.level]
	case p.format == formatAtom && p.old():
		return payload.OldAtomType
	case p.format == formatAtom:
		return payload.AtomEntryType
	}
	return contentTypes[p.level]
}

// feedType is the content type of a collection.
func (p protocol) feedType() string {
	if p.format == formatAtom && !p.old() {
		return payload.AtomFeedType
	}
	return p.entryType()
}
