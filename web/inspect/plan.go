package inspect

import "sandtable/web/client"

// planAdvice says what a kind of query costs, and what would cost less.
var planAdvice = map[string]string{
	client.PlanPoint:         "One entity, by its keys. Nothing is faster.",
	client.PlanRowRange:      "A range of rows in one partition: only what is returned is read.",
	client.PlanPartitionScan: "The whole partition was read. A condition on RowKey would read only a part of it.",
	client.PlanTableScan:     "More than one partition was read. A condition PartitionKey eq '…' would read only one.",
}

// PlanAdvice says in a sentence what a kind of query means.
func PlanAdvice(kind string) string { return planAdvice[kind] }
