// Package requests is the page of the requests that the endpoint has answered,
// whichever tab or program sent them: a live list, and one of them in a panel,
// decoded. A refused request opens on why it was refused.
//
// What is shown is decoded by package inspect; package snippet writes the code
// that repeats a request.
package requests
