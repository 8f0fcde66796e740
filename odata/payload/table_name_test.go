package payload

import (
	"errors"
	"testing"
)

func TestDecodeTableName(t *testing.T) {
	tests := []struct {
		name, body, want string
		err              error
	}{
		{"name", `{"TableName":"People"}`, "People", nil},
		{"other members", `{"odata.metadata":"x","a":{"TableName":"no"},"TableName":"People","b":[1]}`, "People", nil},
		{"byte order mark", "\uFEFF{\"TableName\":\"People\"}\r\n", "People", nil},
		{"unchecked", `{"TableName":"1-\u00e9"}`, "1-é", nil},
		{"absent", `{}`, "", ErrNoTableName},
		{"other case", `{"tablename":"People"}`, "", ErrNoTableName},
		{"null", `{"TableName":null}`, "", ErrNoTableName},
		{"empty", `{"TableName":""}`, "", ErrNoTableName},
		{"number", `{"TableName":5}`, "", ErrKeyType},
		{"object", `{"TableName":{}}`, "", ErrKeyType},
		{"twice", `{"TableName":"a","TableName":"b"}`, "", ErrDuplicateProperty},
		{"twice with null", `{"TableName":null,"TableName":"b"}`, "", ErrDuplicateProperty},
		{"nothing", ``, "", ErrSyntax},
		{"array", `["People"]`, "", ErrSyntax},
		{"text behind", `{"TableName":"a"}}`, "", ErrSyntax},
		{"malformed other member", `{"TableName":"a","b":tru}`, "", ErrSyntax},
		{"no UTF-8", "{\"TableName\":\"\xff\"}", "", ErrSyntax},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := DecodeTableName([]byte(tt.body)); got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("DecodeTableName = %q, %v, want %q, %v", got, err, tt.want, tt.err)
			}
		})
	}
}
