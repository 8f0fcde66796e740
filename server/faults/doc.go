// Package faults decides which requests fail on purpose: an [Account] has rules,
// which delay requests, refuse them as the service does, cut their connection, or
// lose the answer to what has been done. It does no I/O and does not wait: package
// server carries out its decisions, and package control sets the rules.
//
// Decisions are deterministic: which of the requests that a rule sees it hits
// depends on the seed, the place of the rule and how many it has seen before, and
// not on other rules. A throttle also depends on the clock that the caller passes.
//
// Rules are in memory only. They are limited in number ([MaxRules], [MaxAccounts])
// and in what they do ([MaxDelay]), and so are the partitions whose traffic a
// throttle remembers.
//
// Sources: "Status and error codes", "Scalability and performance targets for
// Table storage" (20,000 entities a second in an account, 2,000 in a partition).
package faults
