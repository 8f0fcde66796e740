// Package archive writes the accounts, tables and entities of a store as text
// that other programs can read, and reads such text into a store. It streams:
// neither direction holds more than a page of entities.
//
// # The format
//
// An archive is JSON Lines: UTF-8, one JSON object a line, none of them longer
// than [MaxLine]. Lines that have a member "@sandtable", which no entity can
// have, are about what follows them; the rest are entities.
//
//		{"@sandtable":"archive","version":1}
//		{"@sandtable":"account","name":"devstoreaccount1","access":"open"}
//		{"@sandtable":"table","name":"Customers"}
//		{"PartitionKey":"EU","RowKey":"1","Age":21,"Since@odata.type":"Edm.DateTime","Since":"2024-05-01T00:00:00Z","Timestamp":"2026-11-20T09:30:00Z"}
//		{"@sandtable":"end","accounts":1,"tables":1,"entities":1}
//
//	  - archive is the first line. A version beyond [Version] is refused.
//	  - account has a name and an access, "strict" or "open". It may have
//	    properties, the document of the service properties, and, when they were
//	    asked for, primaryKey and secondaryKey in Base64.
//	  - table has a name and may have policies, the document of the stored access
//	    policies. It belongs to the account above it.
//	  - An entity belongs to the table above it. It has the form in which the
//	    service takes it in an Insert Entity, and in addition its Timestamp.
//	  - end is the last line, and says how many lines of each kind came before
//	    it: an archive that was cut off is noticed. It may have damage: how many
//	    blocks and records of the store could not be read, so that something is
//	    missing. What is there can be loaded.
//
// The order of the members of a line means nothing but for an entity's
// properties. Members and kinds of lines that this version does not know are
// refused rather than left out. Blank lines mean nothing.
//
// # What loading does not bring back
//
// Timestamps, and the ETags that follow from them, are there for information:
// what is loaded is written anew and gets new ones. Archives have no keys
// unless they were asked for, see [DumpOptions] and [LoadOptions].
//
// # Pieces
//
// [LoadPiece] loads a part of an archive and says where the next one begins,
// for a client that sends a file which it does not want to hold whole.
package archive
