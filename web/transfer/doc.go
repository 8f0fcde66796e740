// Package transfer is the pages that bring entities in from a file and write
// them to one. An import first shows what it would write, and writes nothing
// until it is told to; it goes on when the user leaves the page. An export reads
// page by page and hands the file to the browser part by part. A promotion copies tables
// to an account of another endpoint, after a dry run.
package transfer
