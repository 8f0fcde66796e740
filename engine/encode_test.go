package engine_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

func encodeSample() *odata.Entity {
	return &odata.Entity{PartitionKey: "p", RowKey: "r", Timestamp: 12345678, Properties: []odata.Property{
		{Name: "b", Value: odata.BinaryValue([]byte{0, 255})}, {Name: "t", Value: odata.BooleanValue(true)},
		{Name: "d", Value: odata.DoubleValue(math.Inf(-1))}, {Name: "g", Value: odata.GuidValue(odata.Guid{1, 2, 3})},
		{Name: "i", Value: odata.Int32Value(-7)}, {Name: "l", Value: odata.Int64Value(math.MinInt64)},
		{Name: "s", Value: odata.StringValue("\U0001F600\x00")}, {Name: "w", Value: odata.DateTimeValue(odata.MinDateTime)},
	}}
}

func TestEncodeEntity(t *testing.T) {
	want := encodeSample()
	got, err := engine.DecodeEntity(engine.EncodeEntity(want), want.Key())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("decoded %v, %v; want %v", got, err, want)
	}
}

// Every changed byte and every missing end is corruption, not another entity.
func TestDecodeEntityFindsCorruption(t *testing.T) {
	intact := engine.EncodeEntity(encodeSample())
	for i := range intact {
		changed := append([]byte(nil), intact...)
		changed[i] ^= 0x40
		if _, err := engine.DecodeEntity(changed, odata.Key{}); !errors.Is(err, engine.ErrCorrupt) {
			t.Errorf("byte %d changed: %v, want ErrCorrupt", i, err)
		}
		if _, err := engine.DecodeEntity(append([]byte(nil), intact[:i]...), odata.Key{}); !errors.Is(err, engine.ErrCorrupt) {
			t.Errorf("cut to %d bytes: %v, want ErrCorrupt", i, err)
		}
	}
}
