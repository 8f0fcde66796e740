// Package filter reads, prints and evaluates the $filter option of the Table
// service, and finds the range of keys in which all its matches lie.
//
// [Parse] turns the decoded text of the option into an [Expr], checking syntax
// and types on the way, so that evaluation has no errors left to report.
// [Match] asks whether one entity fits, without allocating. [Bounds] tells
// where to look for entities that can. Every Expr prints itself as a filter
// that parses to the same Expr again.
//
// Three rules of the service differ from what a reader may expect:
//
//   - A comparison with a property that the entity does not have is false,
//     also ne. But not turns false into true, so that "not (A eq 1)" matches
//     the entities without A, and "A ne 1" does not.
//   - A value of another type than the constant is smaller than it: eq, gt and
//     ge are false; ne, lt and le are true. Only an Edm.Int64 with an Edm.Int32
//     constant, and an Edm.Double with an integer constant, compare as numbers.
//   - PartitionKey, RowKey and Timestamp have a type before any entity is seen,
//     so that comparing them with a constant of another type is a [TypeError].
//
// The package does not see tables, requests or pages. The grammar is in
// grammar.txt.
//
// Sources: "Querying tables and entities",
// https://learn.microsoft.com/rest/api/storageservices/querying-tables-and-entities;
// live test suites for types, missing properties and errors. The service's
// parser is that of the Open Data library (Microsoft.Data.OData), whose public
// tests give the texts of the errors that no recording has.
package filter
