// Package xmldoc reads and writes the XML documents of the Table service that
// are not OData: stored access policies, service properties with their CORS
// rules, replication statistics, and the errors of the operations on them.
//
// Documents are checked completely when they are read, so that what the package
// returns can be stored and written again. It writes the same bytes as the
// service.
//
// Sources: "Set Table ACL", "Set Table Service Properties" and "Get Table
// Service Stats", https://learn.microsoft.com/rest/api/storageservices/.
package xmldoc
