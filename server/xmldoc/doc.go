// Package xmldoc reads and writes the XML documents of the Table service that
// are not OData: stored access policies, service properties with their CORS
// rules, replication statistics, and the errors of the operations on them.
//
// Documents that are read are checked as a whole: what the package returns can
// be stored and written again. What it writes is what the service answers, to
// the byte.
//
// Sources: "Set Table ACL", "Set Table Service Properties" and "Get Table
// Service Stats", https://learn.microsoft.com/rest/api/storageservices/.
package xmldoc
