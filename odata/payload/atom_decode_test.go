package payload

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"sandtable/odata"
	"sandtable/odata/xmlscan"
)

// entry returns a body as the .NET storage client sent it.
func entry(properties string) string {
	return `<?xml version="1.0" encoding="utf-8" standalone="yes"?>
<entry xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" xmlns="http://www.w3.org/2005/Atom">
  <title /><updated>2008-09-18T23:46:19.3857256Z</updated><author><name /></author><id />
  <content type="application/xml"><m:properties>` + properties + `</m:properties></content>
</entry>`
}

func TestDecodeAtomValues(t *testing.T) {
	instant := odata.DateTimeValue(dateTime(t, "2013-08-02T17:37:43.0090043Z"))
	id := odata.GuidValue(guid(t, "c9da6455-213d-42c9-9a79-3e9149a57833"))
	tests := []struct {
		name, element string
		want          odata.Value // zero: no property
	}{
		{"string", `<d:x>text</d:x>`, odata.StringValue("text")},
		{"string by type", `<d:x m:type="Edm.String">5</d:x>`, odata.StringValue("5")},
		{"empty string", `<d:x></d:x>`, odata.StringValue("")},
		{"empty element", `<d:x />`, odata.StringValue("")},
		{"outer blanks", "<d:x> \ta \n</d:x>", odata.StringValue(" \ta \n")},
		{"blanks alone", "<d:x> \r\n\t</d:x>", odata.StringValue("")},
		{"blanks alone as references", "<d:x>&#x20;</d:x>", odata.StringValue("")},
		{"blanks that are preserved", `<d:x xml:space="preserve"> ` + "\t</d:x>", odata.StringValue(" \t")},
		{"blanks that are not", `<d:x xml:space="default"> </d:x>`, odata.StringValue("")},
		{"blanks in CDATA", `<d:x><![CDATA[ ]]></d:x>`, odata.StringValue(" ")},
		{"other blanks", "<d:x>\u00A0</d:x>", odata.StringValue("\u00A0")},
		{"a blank behind a comment", "<d:x>a<!----> </d:x>", odata.StringValue("a")},
		{"CDATA", `<d:x>a<![CDATA[<b>&amp;]]]]><![CDATA[>]]>c</d:x>`, odata.StringValue("a<b>&amp;]]>c")},
		{"empty CDATA", `<d:x><![CDATA[]]></d:x>`, odata.StringValue("")},
		{"comments and instructions", `<d:x>a<!-- <d:y> - -->b<?p?>c<?p q?r>?>d</d:x>`, odata.StringValue("abcd")},
		{"ends of lines", "<d:x>a\r\nb\rc\n\r\n<![CDATA[\r]]></d:x>", odata.StringValue("a\nb\nc\n\n\n")},
		{"carriage return", "<d:x>a&#xD;\nb&#13;</d:x>", odata.StringValue("a\r\nb\r")},
		{"references", `<d:x>&amp;&lt;&gt;&quot;&apos;&#65;&#x41;&#x1F600;&#00065;</d:x>`, odata.StringValue(`&<>"'AA😀A`)},
		{"no characters of XML", `<d:x>&#0;&#x1;&#xB;&#xFFFF;</d:x>`, odata.StringValue("\x00\x01\v\uFFFF")},
		{"other characters", "<d:x>\x7f\u0085\uFFFD\uFEFFé\U0001F600</d:x>", odata.StringValue("\x7f\u0085\uFFFD\uFEFFé\U0001F600")},
		{"characters of markup in text", `<d:x>]] > ]]&gt; > ' "</d:x>`, odata.StringValue(`]] > ]]> > ' "`)},
		{"int32", `<d:x m:type="Edm.Int32">-2147483648</d:x>`, odata.Int32Value(math.MinInt32)},
		{"blanks around a number", "<d:x m:type='Edm.Int32'>\n 23 </d:x>", odata.Int32Value(23)},
		{"int64", `<d:x m:type="Edm.Int64">9223372036854775807</d:x>`, odata.Int64Value(math.MaxInt64)},
		{"double", `<d:x m:type="Edm.Double">200.23</d:x>`, odata.DoubleValue(200.23)},
		{"whole double", `<d:x m:type="Edm.Double">3</d:x>`, odata.DoubleValue(3)},
		{"double with exponent", `<d:x m:type="Edm.Double">-1.5E+24</d:x>`, odata.DoubleValue(-1.5e24)},
		{"NaN", `<d:x m:type="Edm.Double">NaN</d:x>`, odata.DoubleValue(math.NaN())},
		{"infinity", `<d:x m:type="Edm.Double">INF</d:x>`, odata.DoubleValue(math.Inf(1))},
		{"negative infinity", `<d:x m:type="Edm.Double"> -INF </d:x>`, odata.DoubleValue(math.Inf(-1))},
		{"infinity as in .NET", `<d:x m:type="Edm.Double">-Infinity</d:x>`, odata.DoubleValue(math.Inf(-1))},
		{"true", `<d:x m:type="Edm.Boolean">true</d:x>`, odata.BooleanValue(true)},
		{"true as in .NET", `<d:x m:type="Edm.Boolean">True</d:x>`, odata.BooleanValue(true)},
		{"1", `<d:x m:type="Edm.Boolean">1</d:x>`, odata.BooleanValue(true)},
		{"false", `<d:x m:type="Edm.Boolean"> false</d:x>`, odata.BooleanValue(false)},
		{"False and 0", `<d:x m:type="Edm.Boolean">0</d:x>`, odata.BooleanValue(false)},
		{"date", `<d:x m:type="Edm.DateTime">2013-08-02T17:37:43.0090043Z</d:x>`, instant},
		{"date in another zone", `<d:x m:type="Edm.DateTime">2013-08-02T19:37:43.0090043+02:00</d:x>`, instant},
		{"guid", `<d:x m:type="Edm.Guid">C9DA6455-213D-42C9-9A79-3E9149A57833</d:x>`, id},
		{"binary", `<d:x m:type="Edm.Binary">+//+AA==</d:x>`, odata.BinaryText("\xfb\xff\xfe\x00")},
		{"binary in lines", "<d:x m:type='Edm.Binary'>\n+// \r\n\t+AA==\n</d:x>", odata.BinaryText("\xfb\xff\xfe\x00")},
		{"empty binary", `<d:x m:type="Edm.Binary" />`, odata.BinaryText("")},
		{"null", `<d:x m:null="true" />`, odata.Value{}},
		{"null with a type", `<d:x m:type="Edm.Binary" m:null="true"></d:x>`, odata.Value{}},
		{"null with what does not fit", `<d:x m:null=" 1 " m:type="Edm.Fish"><d:y>5</d:y></d:x>`, odata.Value{}},
		{"not null", `<d:x m:null="false">a</d:x>`, odata.StringValue("a")},
		{"attributes that mean nothing", `<d:x type="Edm.Int32" null="true" d:type="Edm.Int32" m:etag="x" xmlns:e="y" e:null="true">a</d:x>`, odata.StringValue("a")},
		{"references in a type", `<d:x m:type="Edm&#46;Int32">5</d:x>`, odata.Int32Value(5)},
		{"element of another namespace", `<m:x>5</m:x><x>5</x><d xmlns="urn:x"/>`, odata.Value{}},
		{"timestamp", `<d:Timestamp m:type="Edm.DateTime" m:null="yes">no date</d:Timestamp><d:Timestamp/>`, odata.Value{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := DecodeAtomEntity([]byte(entry(tt.element)))
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.want.IsZero():
				if len(b.Properties) != 0 {
					t.Errorf("got %+v, want no property", b.Properties)
				}
			case len(b.Properties) != 1 || b.Properties[0].Name != "x" || !b.Properties[0].Value.Equal(tt.want):
				t.Errorf("got %+v, want x = %+v", b.Properties, tt.want)
			}
		})
	}
}

func TestDecodeAtomRefusesProperties(t *testing.T) {
	tests := []struct {
		name, element string
		want          error
	}{
		{"int32 out of range", `<d:x m:type="Edm.Int32">2147483648</d:x>`, ErrSyntax},
		{"int64 out of range", `<d:x m:type="Edm.Int64">9223372036854775808</d:x>`, ErrSyntax},
		{"no int", `<d:x m:type="Edm.Int32">1 2</d:x>`, ErrSyntax},
		{"empty int", `<d:x m:type="Edm.Int32" />`, ErrSyntax},
		{"hexadecimal double", `<d:x m:type="Edm.Double">0x1p4</d:x>`, ErrSyntax},
		{"double with underscore", `<d:x m:type="Edm.Double">1_0</d:x>`, ErrSyntax},
		{"double of another name", `<d:x m:type="Edm.Double">inf</d:x>`, ErrSyntax},
		{"double out of range", `<d:x m:type="Edm.Double">1E400</d:x>`, ErrSyntax},
		{"double of signs", `<d:x m:type="Edm.Double">-+</d:x>`, ErrSyntax},
		{"no boolean", `<d:x m:type="Edm.Boolean">TRUE</d:x>`, ErrSyntax},
		{"no date", `<d:x m:type="Edm.DateTime">today</d:x>`, ErrSyntax},
		{"no guid", `<d:x m:type="Edm.Guid">{c9da6455}</d:x>`, ErrSyntax},
		{"no base64", `<d:x m:type="Edm.Binary">YQ</d:x>`, ErrSyntax},
		{"other blanks in base64", "<d:x m:type='Edm.Binary'>YQ \u00A0==</d:x>", ErrSyntax},
		{"unknown type", `<d:x m:type="Edm.Fish">5</d:x>`, ErrSyntax},
		{"type without its namespace", `<d:x m:type="Int32">5</d:x>`, ErrSyntax},
		{"empty type", `<d:x m:type="">5</d:x>`, ErrSyntax},
		{"null that is no boolean", `<d:x m:null="yes" />`, ErrSyntax},
		{"element within", `<d:x><d:y/></d:x>`, ErrSyntax},
		{"twice", `<d:x>1</d:x><d:x>1</d:x>`, ErrDuplicateProperty},
		{"twice, once null", `<d:x m:null="true"/><d:x>1</d:x>`, ErrDuplicateProperty},
		{"twice, by another prefix", `<d:x>1</d:x><e:x xmlns:e="http://schemas.microsoft.com/ado/2007/08/dataservices">1</e:x>`, ErrDuplicateProperty},
		{"key twice", `<d:RowKey>1</d:RowKey><d:RowKey>1</d:RowKey>`, ErrDuplicateProperty},
		{"names that differ in case", `<d:x>1</d:x><d:X>1</d:X>`, nil},
		{"malformed in a null", `<d:x m:null="true">&x;</d:x>`, ErrSyntax},
		{"malformed in a timestamp", `<d:Timestamp></d:x>`, ErrSyntax},
		{"malformed in another element", `<m:x></d:x>`, ErrSyntax},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := DecodeAtomEntity([]byte(entry(tt.element)))
			if !errors.Is(err, tt.want) {
				t.Errorf("got %+v, %v, want %v", b, err, tt.want)
			}
		})
	}
}

func TestDecodeAtomKeys(t *testing.T) {
	tests := []struct {
		name, elements string
		want           odata.Key
		err            error
	}{
		{"both", `<d:PartitionKey>p</d:PartitionKey><d:RowKey m:type="Edm.String">r</d:RowKey>`, odata.Key{PartitionKey: "p", RowKey: "r"}, nil},
		{"empty", `<d:PartitionKey></d:PartitionKey><d:RowKey />`, odata.Key{}, nil},
		{"none", ``, odata.Key{}, ErrKeyMissing},
		{"one", `<d:PartitionKey>p</d:PartitionKey>`, odata.Key{}, ErrKeyMissing},
		{"null", `<d:PartitionKey>p</d:PartitionKey><d:RowKey m:null="true"/>`, odata.Key{}, ErrKeyMissing},
		{"null with a type", `<d:PartitionKey>p</d:PartitionKey><d:RowKey m:type="Edm.Guid" m:null="true"/>`, odata.Key{}, ErrKeyMissing},
		{"typed", `<d:PartitionKey>p</d:PartitionKey><d:RowKey m:type="Edm.Int32">5</d:RowKey>`, odata.Key{}, ErrKeyType},
		{"typed, and does not fit", `<d:PartitionKey m:type="Edm.Int32">p</d:PartitionKey><d:RowKey/>`, odata.Key{}, ErrKeyType},
		{"empty type", `<d:PartitionKey m:type="">p</d:PartitionKey><d:RowKey m:type="">r</d:RowKey>`, odata.Key{}, ErrKeyType},
		{"typed and missing", `<d:PartitionKey m:type="Edm.Int32">5</d:PartitionKey>`, odata.Key{}, ErrKeyMissing},
		{"of another namespace", `<m:PartitionKey>p</m:PartitionKey><RowKey>r</RowKey>`, odata.Key{}, ErrKeyMissing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := DecodeAtomEntity([]byte(entry(tt.elements)))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := b.Key(); got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("got %+v, %v, want %+v, %v", got, err, tt.want, tt.err)
			}
			if len(b.Properties) != 0 {
				t.Errorf("keys became properties: %+v", b.Properties)
			}
		})
	}
}

// Bodies with at most one property, to test the root.
func TestDecodeAtomBodies(t *testing.T) {
	const (
		ns     = ` xmlns="` + atomNamespace + `" xmlns:d="` + dataNamespace + `" xmlns:m="` + metadataNamespace + `"`
		inner  = `<content><m:properties><d:x>1</d:x></m:properties></content>`
		simple = `<entry` + ns + `>` + inner + `</entry>`
	)
	nested := func(depth int) string {
		return `<entry` + ns + `>` + strings.Repeat("<a>", depth-1) + strings.Repeat("</a>", depth-1) + inner + `</entry>`
	}
	attributes := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ` a%d=""`, i)
		}
		return `<entry` + ns + `><a` + b.String() + `/>` + inner + `</entry>`
	}
	bindings := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ` xmlns:a%d="u"`, i)
		}
		return `<entry` + ns + `><a` + b.String() + `/>` + inner + `</entry>`
	}
	tests := []struct {
		name, body string
		want       int // properties, -1 for ErrSyntax
	}{
		{"no declaration", simple, 1},
		{"blanks around", "\n\t" + simple + "\r\n ", 1},
		{"mark", "\uFEFF" + `<?xml version="1.0"?>` + simple, 1},
		{"two marks", "\uFEFF\uFEFF" + simple, -1},
		{"comments and instructions around", `<!-- a --><?p q?>` + simple + `<!----><?p?>`, 1},
		{"instruction with a long name", `<?xml-stylesheet href="x"?>` + simple, 1},
		{"declaration", `<?xml version='1.0'  encoding = "UTF-8" standalone="no" ?>` + simple, 1},
		{"declaration without encoding", `<?xml version="1.0" standalone="yes"?>` + simple, 1},
		{"declaration behind a blank", ` <?xml version="1.0"?>` + simple, -1},
		{"declaration twice", `<?xml version="1.0"?><?xml version="1.0"?>` + simple, -1},
		{"declaration in the entry", `<entry` + ns + `><?XML version="1.0"?></entry>`, -1},
		{"declaration without version", `<?xml encoding="utf-8"?>` + simple, -1},
		{"declaration in another order", `<?xml version="1.0" standalone="yes" encoding="utf-8"?>` + simple, -1},
		{"declaration with more", `<?xml version="1.0" fish="yes"?>` + simple, -1},
		{"declaration with a prefix", `<?xml xml:version="1.0"?>` + simple, -1},
		{"declaration with version twice", `<?xml version="1.0" version="1.0"?>` + simple, -1},
		{"empty declaration", `<?xml ?>` + simple, -1},
		{"declaration not closed", `<?xml version="1.0">` + simple, -1},
		{"only a declaration", `<?xml version="1.0"?>`, -1},
		{"only the start of one", `<?xml`, -1},
		{"XML 1.1", `<?xml version="1.1"?>` + simple, -1},
		{"UTF-16 declared", `<?xml version="1.0" encoding="utf-16"?>` + simple, -1},
		{"Latin 1 declared", `<?xml version="1.0" encoding="iso-8859-1"?>` + simple, -1},
		{"standalone maybe", `<?xml version="1.0" standalone="maybe"?>` + simple, -1},
		{"UTF-16", "\xFF\xFE<\x00e\x00", -1},
		{"no UTF-8", `<entry` + ns + ">\xff</entry>", -1},
		{"control character", `<entry` + ns + ">\x01</entry>", -1},
		{"no character", `<entry` + ns + ">\uFFFE</entry>", -1},
		{"document type", `<!DOCTYPE entry>` + simple, -1},
		{"document type with entities", `<!DOCTYPE entry [<!ENTITY x "y">]><entry` + ns + `><content><m:properties><d:x>&x;</d:x></m:properties></content></entry>`, -1},
		{"external entity", `<!DOCTYPE entry [<!ENTITY x SYSTEM "file:///x">]>` + simple, -1},
		{"empty", "", -1},
		{"blank", " ", -1},
		{"text", "entry", -1},
		{"text before", "x" + simple, -1},
		{"text behind", simple + "x", -1},
		{"CDATA before", "<![CDATA[]]>" + simple, -1},
		{"two roots", simple + simple, -1},
		{"end behind", simple + "</entry>", -1},
		{"JSON", `{"x":1}`, -1},
		{"feed", `<feed` + ns + `>` + simple + `</feed>`, -1},
		{"entry of no namespace", `<entry>` + inner + `</entry>`, -1},
		{"entry of another namespace", `<d:entry` + ns + `></d:entry>`, -1},
		{"other prefixes", `<a:entry xmlns:a="` + atomNamespace + `"><a:content><meta:properties xmlns:meta="` + metadataNamespace + `"><x xmlns="` + dataNamespace + `">1</x></meta:properties></a:content></a:entry>`, 1},
		{"prefixes with another meaning", `<entry xmlns="` + atomNamespace + `" xmlns:d="` + metadataNamespace + `" xmlns:m="` + dataNamespace + `"><content><d:properties><m:x>1</m:x></d:properties></content></entry>`, 1},
		{"meaning that ends", `<entry` + ns + `><a xmlns:d="urn:a"><d:a/></a><content><m:properties xmlns:d="urn:d"><d:x>1</d:x></m:properties></content></entry>`, 0},
		{"meaning that ends with an empty element", `<entry` + ns + `><a xmlns:d="urn:a"/>` + inner + `</entry>`, 1},
		{"no default any more", `<entry` + ns + `><content xmlns=""><m:properties><d:x>1</d:x></m:properties></content></entry>`, 0},
		{"prefix xml declared", `<entry xmlns:xml="` + xmlscan.XMLNamespace + `"` + ns + `>` + inner + `</entry>`, 1},
		{"prefix xml with another meaning", `<entry xmlns:xml="urn:x"` + ns + `>` + inner + `</entry>`, -1},
		{"another prefix for xml", `<entry xmlns:x="` + xmlscan.XMLNamespace + `"` + ns + `>` + inner + `</entry>`, -1},
		{"prefix xmlns declared", `<entry xmlns:xmlns="urn:x"` + ns + `>` + inner + `</entry>`, -1},
		{"prefix taken back", `<entry xmlns:x=""` + ns + `/>`, -1},
		{"prefix without a meaning", `<entry` + ns + `><x:a/></entry>`, -1},
		{"attribute's prefix without a meaning", `<entry` + ns + `><a x:a=""/></entry>`, -1},
		{"element with prefix xmlns", `<entry` + ns + `><xmlns:a/></entry>`, -1},
		{"element with prefix xml", `<entry` + ns + `><xml:a/>` + inner + `</entry>`, 1},
		{"content behind and before", `<entry` + ns + `><id/>` + inner + `<title>a</title></entry>`, 1},
		{"content with another type", `<entry` + ns + `><content type="text">x</content></entry>`, 0},
		{"other elements in the content", `<entry` + ns + `><content>a<b>c</b><m:properties/><d:x/></content></entry>`, 0},
		{"no content", `<entry` + ns + `/>`, 0},
		{"properties twice", `<entry` + ns + `>` + inner + `<content><m:properties/></content></entry>`, -1},
		{"properties outside of the content", `<entry` + ns + `><m:properties/></entry>`, -1},
		{"space preserved for all", `<entry xml:space="preserve"` + ns + `><content><m:properties> <d:x> </d:x></m:properties></content></entry>`, 1},
		{"space of another kind", `<entry xml:space="some"` + ns + `>` + inner + `</entry>`, -1},
		{"blanks in tags", "<entry\n" + ns + "\t><content ><m:properties\n/></content\r\n></entry >", 0},
		{"blank before a name", `< entry` + ns + `/>`, -1},
		{"blank before an end's name", `<entry` + ns + `></ entry>`, -1},
		{"blank within the slash", `<entry` + ns + `/ >`, -1},
		{"attribute without a value", `<entry` + ns + ` a/>`, -1},
		{"attribute without quotes", `<entry` + ns + ` a=b/>`, -1},
		{"attribute not closed", `<entry` + ns + ` a="b/>`, -1},
		{"attribute with markup", `<entry` + ns + ` a="<"/>`, -1},
		{"attribute with a bad reference", `<entry` + ns + ` a="&"/>`, -1},
		{"attribute with blanks and quotes", `<entry` + ns + " a='\"\r\n\t&quot;' b=\"'>\"/>", 0},
		{"attributes without a blank between", `<entry` + ns + ` a=""b=""/>`, -1},
		{"attribute twice", `<entry` + ns + ` a="" a=""/>`, -1},
		{"attribute twice by two prefixes", `<entry xmlns:e="` + dataNamespace + `"` + ns + ` e:a="" d:a=""/>`, -1},
		{"attribute with and without prefix", `<entry` + ns + ` a="" d:a=""/>`, 0},
		{"namespace twice", `<entry xmlns:d="urn:x"` + ns + `/>`, -1},
		{"default namespace twice", `<entry xmlns="urn:x"` + ns + `/>`, -1},
		{"attribute with two prefixes", `<entry` + ns + ` d:a:b=""/>`, -1},
		{"attribute of a prefix alone", `<entry` + ns + ` d:=""/>`, -1},
		{"element with two prefixes", `<entry` + ns + `><d:a:b/></entry>`, -1},
		{"element of a prefix alone", `<entry` + ns + `><d:/></entry>`, -1},
		{"element without a prefix's name", `<entry` + ns + `><:d/></entry>`, -1},
		{"digit first", `<entry` + ns + `><1/></entry>`, -1},
		{"names with digits, points and letters", `<entry` + ns + `><_a-1.b é2="">ß</_a-1.b></entry>`, 0},
		{"end of another", `<entry` + ns + `><a></b></entry>`, -1},
		{"end of a longer name", `<entry` + ns + `><a></aa></entry>`, -1},
		{"not ended", `<entry` + ns + `><a></a>`, -1},
		{"not ended, at a tag", `<entry` + ns, -1},
		{"not ended, at an end", `<entry` + ns + `></entry`, -1},
		{"ended by a part", `<entry` + ns + `></`, -1},
		{"comment not closed", simple + `<!-- a`, -1},
		{"comment with hyphens", simple + `<!-- a--b -->`, -1},
		{"comment with a hyphen too many", simple + `<!-- a --->`, -1},
		{"instruction not closed", simple + `<?a b>`, -1},
		{"instruction without a name", simple + `<? ?>`, -1},
		{"instruction with a prefix", simple + `<?a:b ?>`, -1},
		{"CDATA not closed", `<entry` + ns + `><![CDATA[</entry>`, -1},
		{"end of CDATA in text", `<entry` + ns + `>]]></entry>`, -1},
		{"unknown entity", `<entry` + ns + `>&nbsp;</entry>`, -1},
		{"reference not closed", `<entry` + ns + `>&amp</entry>`, -1},
		{"empty reference", `<entry` + ns + `>&;</entry>`, -1},
		{"reference without a number", `<entry` + ns + `>&#;</entry>`, -1},
		{"reference with a sign", `<entry` + ns + `>&#+5;</entry>`, -1},
		{"reference in capital hexadecimal", `<entry` + ns + `>&#X41;</entry>`, -1},
		{"reference with underscores", `<entry` + ns + `>&#x4_1;</entry>`, -1},
		{"half of a surrogate pair", `<entry` + ns + `>&#xD83D;&#xDE00;</entry>`, -1},
		{"beyond Unicode", `<entry` + ns + `>&#x110000;</entry>`, -1},
		{"beyond all", `<entry` + ns + `>&#99999999999999999999;</entry>`, -1},
		{"deep", nested(xmlscan.MaxDepth), 1},
		{"too deep", nested(xmlscan.MaxDepth + 1), -1},
		{"many attributes", attributes(xmlscan.MaxAttributes), 1},
		{"too many attributes", attributes(xmlscan.MaxAttributes + 1), -1},
		{"many namespaces", bindings(xmlscan.MaxBindings - 3), 1},
		{"too many namespaces", bindings(xmlscan.MaxBindings - 2), -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := DecodeAtomEntity([]byte(tt.body))
			switch {
			case tt.want < 0 && !errors.Is(err, ErrSyntax):
				t.Errorf("%s gives %+v, %v, want ErrSyntax", tt.body, b, err)
			case tt.want >= 0 && (err != nil || len(b.Properties) != tt.want):
				t.Errorf("%s gives %+v, %v, want %d properties", tt.body, b, err, tt.want)
			}
		})
	}
}

func TestDecodeAtomOrderAndNumber(t *testing.T) {
	var elements strings.Builder
	for i := range 252 {
		fmt.Fprintf(&elements, "<d:p%d m:type='Edm.Int32'>%d</d:p%d>", 251-i, i, 251-i)
	}
	b, err := DecodeAtomEntity([]byte(entry(elements.String())))
	if err != nil || len(b.Properties) != 252 {
		t.Fatalf("%d properties, %v", len(b.Properties), err)
	}
	for i, p := range b.Properties {
		if p.Name != fmt.Sprintf("p%d", 251-i) || p.Value.Int() != int64(i) {
			t.Errorf("property %d is %+v", i, p)
		}
	}
	if _, err := DecodeAtomEntity([]byte(entry(elements.String() + "<d:p7/>"))); !errors.Is(err, ErrDuplicateProperty) {
		t.Errorf("a name that is there again gives %v", err)
	}
}

func TestDecodeAtomKeepsTheBody(t *testing.T) {
	body := []byte(entry(`<d:x>text</d:x>`))
	b, err := DecodeAtomEntity(body)
	if err != nil {
		t.Fatal(err)
	}
	clear(body)
	if got := b.Properties[0]; got.Name != "x" || got.Value.Text() != "text" {
		t.Errorf("the result changed with the buffer of the caller: %+v", got)
	}
}

func TestDecodeAtomAllocations(t *testing.T) {
	a := atom(t)
	body := a.AppendEntity(nil, "T", sample(t))
	allocations := testing.AllocsPerRun(10, func() {
		if _, err := DecodeAtomEntity(body); err != nil {
			t.Fatal(err)
		}
	})
	// The copy of the body, the reader, the scanner with its three stacks, the
	// callbacks, the names, the properties, and the values.
	if allocations > 16 {
		t.Errorf("%v allocations", allocations)
	}
}
