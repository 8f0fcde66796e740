// Package archive dumps the accounts, tables and entities of a store as text that
// other programs can read, and loads such text into a store. Both directions
// stream and hold at most a page of entities.
//
// # The format
//
// An archive is JSON Lines: UTF-8, one JSON object per line, each at most
// [MaxLine] bytes. Lines with a member "@sandtable", which no entity can have,
// are headers; all others are entities.
//
//		{"@sandtable":"archive","version":1}
//		{"@sandtable":"account","name":"devstoreaccount1","access":"open"}
//		{"@sandtable":"table","name":"Customers"}
//		{"PartitionKey":"EU","RowKey":"1","Age":21,"Since@odata.type":"Edm.DateTime","Since":"2024-05-01T00:00:00Z","Timestamp":"2026-11-20T09:30:00Z"}
//		{"@sandtable":"end","accounts":1,"tables":1,"entities":1}
//
//	  - archive is the first line. A version above [Version] is refused.
//	  - account has a name and an access, "strict" or "open". It may have
//	    properties, the XML document of the service properties, and, if they were
//	    requested, primaryKey and secondaryKey in Base64.
//	  - table has a name and may have policies, the XML document of the stored
//	    access policies. It belongs to the account above it.
//	  - An entity belongs to the table above it. It has the form of an Insert
//	    Entity request, plus its Timestamp.
//	  - end is the last line, with the number of lines of each kind, so that a
//	    truncated archive is detected. It may have corruption: the number of
//	    corrupt blocks and records that are missing from the archive. The rest
//	    can be loaded.
//
// The order of members matters only for an entity's properties. Unknown members
// and kinds of lines are refused rather than ignored. Blank lines are ignored.
//
// # What is not restored
//
// Timestamps and the ETags derived from them are for information only: loaded
// entities get new ones. Archives contain no keys unless requested; see
// [DumpOptions] and [LoadOptions].
//
// # Chunks
//
// [LoadChunk] loads a part of an archive and returns the position of the next
// one, for clients that do not hold a whole file in memory.
package archive
