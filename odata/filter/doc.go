// Package filter parses, prints and evaluates the $filter option of the Table
// service, and computes the range of keys that contains all matches.
//
// [Parse] parses the decoded text of the option and checks syntax and types, so
// evaluation cannot fail. [Match] evaluates a filter for one entity without
// allocating, in time linear in the filter's operands, of which [Parse] accepts
// at most 1,000. [Bounds] returns the range of keys to search. Every Expr prints
// as a filter that parses to the same Expr.
//
// Three rules of the service may be unexpected:
//
//   - A comparison with a missing property is false, also ne. But not inverts it:
//     "not (A eq 1)" matches entities without A, and "A ne 1" does not.
//   - A value of another type than the constant is smaller than it: eq, gt and
//     ge are false; ne, lt and le are true. Only an Edm.Int64 with an Edm.Int32
//     constant, and an Edm.Double with an integer constant, compare as numbers.
//   - PartitionKey, RowKey and Timestamp are statically typed: comparing them with
//     a constant of another type is a [TypeError].
//
// The grammar is in grammar.txt.
//
// Sources: "Querying tables and entities",
// https://learn.microsoft.com/rest/api/storageservices/querying-tables-and-entities;
// live test suites for types, missing properties and errors. The service's
// parser is that of the Open Data library (Microsoft.Data.OData), whose public
// tests give the texts of the errors that no recording has.
package filter
