package odata

// The limits of the service, in the units of the service.
//
// Sources: "Understanding the Table service data model"; "Performing entity
// group transactions"; live test suites for the exact edges.
const (
	// MaxKeyLength is in UTF-16 code units, for each of the two keys.
	MaxKeyLength = 1024
	// MaxPropertyNameLength is in UTF-16 code units.
	MaxPropertyNameLength = 255
	// MaxProperties counts custom properties, without the three system ones.
	MaxProperties = 252
	// MaxStringLength is in UTF-16 code units (64 KiB).
	MaxStringLength = 32 * 1024
	// MaxBinaryLength is in bytes.
	MaxBinaryLength = 64 * 1024
	// MaxEntitySize is in the bytes that [Entity.Size] counts.
	MaxEntitySize = 1 << 20
	// MaxCosmosProperties and MaxCosmosEntitySize are the limits of Cosmos DB's
	// Table API. It accepts 255 custom properties; its real limit is not known.
	MaxCosmosProperties = 255
	MaxCosmosEntitySize = 2 << 20
	// MaxBodySize is in bytes, for a single operation and for a batch.
	MaxBodySize = 4 << 20
	// MaxBatchOperations counts the operations of an entity group transaction.
	MaxBatchOperations = 100
	// MaxCosmosBatchOperations is for Cosmos DB, which accepts 101; its real
	// limit is not known.
	MaxCosmosBatchOperations = 1000
	// MaxPageSize counts the entities, or tables, of one page of a query.
	MaxPageSize = 1000
	// MinTableNameLength and MaxTableNameLength are in characters.
	MinTableNameLength = 3
	MaxTableNameLength = 63
	// MaxCosmosTableNameLength is in characters, for hosts of Cosmos DB.
	MaxCosmosTableNameLength = 254
)

// Limits are those in which the Table service and Cosmos DB differ.
type Limits struct {
	Properties int // custom properties of an entity
	EntitySize int // of an entity, in the bytes that [Entity.Size] counts
	Operations int // of an entity group transaction
	// EachProperty says that the length of a name and the size of a value are
	// limited, too.
	EachProperty bool
}

// The limits of the Table service and of Cosmos DB's Table API.
var (
	StorageLimits = Limits{Properties: MaxProperties, EntitySize: MaxEntitySize, Operations: MaxBatchOperations, EachProperty: true}
	CosmosLimits  = Limits{Properties: MaxCosmosProperties, EntitySize: MaxCosmosEntitySize, Operations: MaxCosmosBatchOperations}
)
