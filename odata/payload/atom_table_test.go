package payload

import (
	"errors"
	"testing"
)

func TestDecodeAtomTableName(t *testing.T) {
	tests := []struct {
		name, elements, want string
		err                  error
	}{
		{"name", `<d:TableName>People</d:TableName>`, "People", nil},
		{"typed name", `<d:TableName m:type="Edm.String">People</d:TableName>`, "People", nil},
		{"name among others", `<d:a m:type="Edm.Int32">1</d:a><d:TableName>People</d:TableName><d:RowKey/>`, "People", nil},
		{"none", ``, "", ErrNoTableName},
		{"empty", `<d:TableName/>`, "", ErrNoTableName},
		{"null", `<d:TableName m:null="true"/>`, "", ErrNoTableName},
		{"of another namespace", `<m:TableName>People</m:TableName>`, "", ErrNoTableName},
		{"of another type", `<d:TableName m:type="Edm.Int32">5</d:TableName>`, "", ErrKeyType},
		{"twice", `<d:TableName>a</d:TableName><d:TableName>a</d:TableName>`, "", ErrDuplicateProperty},
		{"malformed", `<d:TableName>a`, "", ErrSyntax},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := DecodeAtomTableName([]byte(entry(tt.elements)))
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("got %q, %v, want %q, %v", got, err, tt.want, tt.err)
			}
		})
	}
}
