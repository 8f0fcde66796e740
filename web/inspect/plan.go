package inspect

// planAdvice says what a kind of query costs, and what would cost less.
var planAdvice = map[string]string{
	"point":           "One entity, by its keys. Nothing is faster.",
	"row range":       "A range of rows in one partition: only what is returned is read.",
	"partition scan":  "The whole partition was read. A condition on RowKey would read only a part of it.",
	"partition range": "All partitions between two keys were read. A condition PartitionKey eq '…' would read only one.",
	"table scan":      "The whole table was read. A condition on PartitionKey would read only one partition.",
}

// PlanAdvice says in a sentence what a kind of query means.
func PlanAdvice(kind string) string { return planAdvice[kind] }
