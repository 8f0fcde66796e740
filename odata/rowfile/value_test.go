package rowfile_test

import (
	"errors"
	"testing"

	"sandtable/odata"
	"sandtable/odata/rowfile"
)

func TestParse(t *testing.T) {
	tests := []struct {
		typ  odata.Type
		text string
		want error
	}{
		{odata.EdmString, " x ", nil},
		{odata.EdmInt32, " 2147483647 ", nil},
		{odata.EdmInt32, "2147483648", rowfile.ErrInt32},
		{odata.EdmInt32, "", rowfile.ErrInt32},
		{odata.EdmInt64, "-9223372036854775808", nil},
		{odata.EdmInt64, "9223372036854775808", rowfile.ErrInt64},
		{odata.EdmDouble, "1E+20", nil},
		{odata.EdmDouble, "-Infinity", nil},
		{odata.EdmDouble, "NaN", nil},
		{odata.EdmDouble, "inf", rowfile.ErrDouble},
		{odata.EdmDouble, "0x1p-2", rowfile.ErrDouble},
		{odata.EdmDouble, "1_000", rowfile.ErrDouble},
		{odata.EdmDouble, "1e999", rowfile.ErrDouble},
		{odata.EdmBoolean, "true", nil},
		{odata.EdmBoolean, "yes", rowfile.ErrBoolean},
		{odata.EdmDateTime, "2026-11-20T18:30:00+02:00", nil},
		{odata.EdmDateTime, "2026-11-20", nil},
		{odata.EdmDateTime, "yesterday", rowfile.ErrDateTime},
		{odata.EdmDateTime, "1600-12-31T00:00:00Z", rowfile.ErrRange},
		{odata.EdmGuid, "A455C695-DF98-5678-AAAA-81D3367E5A34", nil},
		{odata.EdmGuid, "a455", rowfile.ErrGuid},
		{odata.EdmBinary, "AQID", nil},
		{odata.EdmBinary, "A", rowfile.ErrBinary},
	}
	for _, test := range tests {
		t.Run(test.typ.String()+" "+test.text, func(t *testing.T) {
			v, err := rowfile.Parse(test.typ, test.text)
			if !errors.Is(err, test.want) {
				t.Fatalf("error %v, want %v", err, test.want)
			}
			if err == nil && v.Type() != test.typ {
				t.Errorf("the type became %v", v.Type())
			}
		})
	}
}

// FuzzParse: whatever parses is shown in a way that parses to the same value.
func FuzzParse(f *testing.F) {
	for _, t := range odata.Types() {
		for _, text := range []string{"", "1", "-1.5E-9", "true", "NaN", "2026-11-20T18:30:00.1234567Z", "AQID", "a455c695-df98-5678-aaaa-81d3367e5a34"} {
			f.Add(uint8(t), text)
		}
	}
	f.Fuzz(func(t *testing.T, typ uint8, text string) {
		kind := odata.Type(typ%8 + 1)
		v, err := rowfile.Parse(kind, text)
		if err != nil {
			return
		}
		again, err := rowfile.Parse(kind, rowfile.Text(v))
		if err != nil || !again.Equal(v) {
			t.Errorf("%v %q is shown as %q, which is %v, %v", kind, text, rowfile.Text(v), again, err)
		}
	})
}
