package sas

import (
	"net/netip"
	"strings"
	"time"

	"sandtable/odata"
)

// Problems returns what is wrong with the token, by parameter. A token without
// problems can be signed and is accepted.
func (t Token) Problems() map[string]string {
	found := map[string]string{}
	e := t.Effective()
	if Order(e.Permissions, e.Known()) == "" {
		found["sp"] = "Choose at least one."
	}
	if t.Table == "" && Order(t.ResourceTypes, ResourceTypes) == "" {
		found["srt"] = "Choose at least one."
	}
	start, starts := ParseTime(e.Start)
	if strings.TrimSpace(e.Start) != "" && !starts {
		found["st"] = noTime
	}
	expiry, expires := ParseTime(e.Expiry)
	switch {
	case strings.TrimSpace(e.Expiry) == "":
		found["se"] = "An expiry is required."
	case !expires:
		found["se"] = noTime
	case starts && !start.Truncate(time.Second).Before(expiry.Truncate(time.Second)): // as they are signed
		found["se"] = "It expires before it starts."
	}
	if text := ipProblem(t.IP); text != "" {
		found["sip"] = text
	}
	if t.FromRow != "" && t.FromPartition == "" {
		found["spk"] = "A RowKey needs its PartitionKey."
	}
	if t.ToRow != "" && t.ToPartition == "" {
		found["epk"] = "A RowKey needs its PartitionKey."
	}
	if t.Table != "" && found["epk"] == "" && t.backwards() {
		found["epk"] = "To is before From: no entity is in this range."
	}
	return found
}

// backwards reports whether the range of keys ends before it begins.
func (t Token) backwards() bool {
	from, to := odata.Key{PartitionKey: t.FromPartition, RowKey: t.FromRow}, odata.Key{PartitionKey: t.ToPartition, RowKey: t.ToRow}
	open := t.ToPartition == "" || t.ToRow == "" && from.PartitionKey == to.PartitionKey
	return !open && to.Less(from)
}

const noTime = "Not a time: write 2026-11-27 18:40:00 UTC."

func ipProblem(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	low, high, ranged := strings.Cut(text, "-")
	from, err := netip.ParseAddr(low)
	if err != nil {
		return "Not an address: write 203.0.113.7 or 203.0.113.1-203.0.113.20."
	}
	if !ranged {
		return ""
	}
	to, err := netip.ParseAddr(high)
	switch {
	case err != nil:
		return "Not an address after the hyphen."
	case to.Less(from):
		return "The range ends before it begins."
	}
	return ""
}
