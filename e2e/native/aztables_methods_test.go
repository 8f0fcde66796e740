package native

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// What the methods of aztables do that no test beside this one shows; that
// none is left out is seen to in aztables_complete_test.go.

// endpoint is a native server's account, with what a client needs to reach it.
type endpoint struct {
	connection string
	path       string // the address with the account in its path
	account    string
	key        string
	at         string // host and port
}

// listen starts a native server on a free port until the test ends, which
// keeps its data in memory.
func listen(t *testing.T, flags ...string) endpoint {
	t.Helper()
	return listenIn(t, "", flags...)
}

// listenIn is listen with a folder for what the server keeps.
func listenIn(t *testing.T, folder string, flags ...string) endpoint {
	t.Helper()
	command := exec.Command(program, append([]string{"serve", "-addr", "127.0.0.1:0", "-data", folder, "-quiet"}, flags...)...)
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatalf("%v: is it built? make build", err)
	}
	t.Cleanup(func() {
		if err := command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := command.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "DefaultEndpointsProtocol=") {
			return parseConnection(lines.Text())
		}
	}
	t.Fatal("the server does not say where it is")
	return endpoint{}
}

func parseConnection(text string) endpoint {
	fields := map[string]string{}
	for field := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(field, "=")
		fields[name] = value
	}
	path := fields["TableEndpoint"]
	at, _, _ := strings.Cut(strings.SplitN(path, "//", 2)[1], "/")
	return endpoint{connection: text, path: path, account: fields["AccountName"], key: fields["AccountKey"], at: at}
}

func (e endpoint) credential(t *testing.T) *aztables.SharedKeyCredential {
	t.Helper()
	credential, err := aztables.NewSharedKeyCredential(e.account, e.key)
	if err != nil {
		t.Fatal(err)
	}
	return credential
}

// service returns a client that signs for an address.
func (e endpoint) service(t *testing.T, address string, options *aztables.ClientOptions) *aztables.ServiceClient {
	t.Helper()
	client, err := aztables.NewServiceClientWithSharedKey(address, e.credential(t), options)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// found returns options of a client that finds every host at the server, as a
// test's own DNS would.
func (e endpoint) found() *aztables.ClientOptions {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, e.at)
	}
	return &aztables.ClientOptions{ClientOptions: policy.ClientOptions{
		Transport: &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}},
	}}
}

// code returns the status and code of a refusal, or "done".
func code(err error) string {
	var failed *azcore.ResponseError
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &failed):
		return fmt.Sprint(failed.StatusCode, " ", failed.ErrorCode)
	}
	return err.Error()
}

func wantCode(t *testing.T, err error, want string) {
	t.Helper()
	if got := code(err); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// TestAddressesAndKeys makes a client in each way that there is.
func TestAddressesAndKeys(t *testing.T) {
	server := listen(t)
	host := "http://" + server.account + ".table.core.windows.net"
	must[*aztables.ServiceClient](t)(aztables.NewServiceClientFromConnectionString(server.connection, nil))
	byHost := server.service(t, host, server.found())
	if _, err := byHost.CreateTable(t.Context(), "Reached", nil); err != nil {
		t.Fatal(err)
	}
	credential := server.credential(t)
	if got := credential.AccountName(); got != server.account {
		t.Errorf("account %s", got)
	}
	for name, client := range map[string]*aztables.Client{
		"by path":        must[*aztables.Client](t)(aztables.NewClientWithSharedKey(server.path+"/Reached", credential, nil)),
		"by host":        must[*aztables.Client](t)(aztables.NewClientWithSharedKey(host+"/Reached", credential, server.found())),
		"of the service": byHost.NewClient("Reached"),
	} {
		_, err := client.AddEntity(t.Context(), entity("p", name, nil), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	client := must[*aztables.Client](t)(aztables.NewClientWithSharedKey(server.path+"/Reached", credential, nil))
	if err := credential.SetAccountKey("d3Jvbmc="); err != nil {
		t.Fatal(err)
	}
	_, err := client.GetEntity(t.Context(), "p", "by path", nil)
	wantCode(t, err, "403 AuthenticationFailed")
	if err := credential.SetAccountKey(server.key); err != nil {
		t.Fatal(err)
	}
	_, err = client.GetEntity(t.Context(), "p", "by path", nil)
	wantCode(t, err, "done")
}

// nobody hands out bearer tokens.
type nobody struct{}

func (nobody) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: "of nobody", ExpiresOn: time.Now().Add(time.Hour)}, nil
}

// TestTokensOverHTTP shows that the SDK itself keeps its tokens from http, so
// that no request comes to a server that would refuse it.
func TestTokensOverHTTP(t *testing.T) {
	server := listen(t, "-open")
	client := must[*aztables.Client](t)(aztables.NewClient(server.path+"/Reached", nobody{}, nil))
	service := must[*aztables.ServiceClient](t)(aztables.NewServiceClient(server.path, nobody{}, nil))
	_, err := client.GetEntity(t.Context(), "p", "r", nil)
	if err == nil || !strings.Contains(err.Error(), "not permitted for non TLS protected") {
		t.Errorf("got %v", err)
	}
	_, err = service.GetProperties(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "not permitted for non TLS protected") {
		t.Errorf("got %v", err)
	}
	// An open account lets requests in that have no credentials at all.
	open := must[*aztables.Client](t)(aztables.NewClientWithNoCredential(server.path+"/Reached", nil))
	_, err = open.CreateTable(t.Context(), nil)
	wantCode(t, err, "done")
}

// entity returns the JSON of an entity.
func entity(pk, rk string, properties map[string]any) []byte {
	all := map[string]any{"PartitionKey": pk, "RowKey": rk}
	for name, value := range properties {
		all[name] = value
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // a test's own literal
	}
	return text
}

func TestListTables(t *testing.T) {
	service := serve(t)
	for _, name := range []string{"ListB", "ListA", "ListC", "Other"} {
		response, err := service.CreateTable(t.Context(), name, nil)
		if err != nil || *response.TableName != name {
			t.Fatal(response.TableName, err)
		}
	}
	list := func(options *aztables.ListTablesOptions) (pages []string) {
		for pager := service.NewListTablesPager(options); pager.More(); {
			page, err := pager.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, table := range page.Tables {
				names = append(names, *table.Name)
			}
			pages = append(pages, strings.Join(names, " "))
		}
		return pages
	}
	filter := to.Ptr("TableName ge 'ListA' and TableName lt 'ListD'")
	first, err := service.NewListTablesPager(&aztables.ListTablesOptions{Filter: filter, Top: to.Ptr[int32](2)}).NextPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		options *aztables.ListTablesOptions
		want    string
	}{
		{"all", nil, "ListA ListB ListC Other"},
		{"filter", &aztables.ListTablesOptions{Filter: filter}, "ListA ListB ListC"},
		{"pages", &aztables.ListTablesOptions{Filter: filter, Top: to.Ptr[int32](2)}, "ListA ListB|ListC"},
		{"taken up again", &aztables.ListTablesOptions{Filter: filter, NextTableName: first.NextTableName}, "ListC"},
		{"select", &aztables.ListTablesOptions{Filter: to.Ptr("TableName eq 'Other'"), Select: to.Ptr("TableName")}, "Other"},
		{"full metadata", &aztables.ListTablesOptions{Top: to.Ptr[int32](4), Format: to.Ptr(aztables.MetadataFormatFull)}, "ListA ListB ListC Other"},
		{"no metadata", &aztables.ListTablesOptions{Format: to.Ptr(aztables.MetadataFormatNone)}, "ListA ListB ListC Other"},
		{"none", &aztables.ListTablesOptions{Filter: to.Ptr("TableName eq 'None'")}, ""},
	} {
		if got := strings.Join(list(c.options), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestTableOfItsOwn takes a table through its life by its own client.
func TestTableOfItsOwn(t *testing.T) {
	client := serve(t).NewClient("Own")
	_, err := client.AddEntity(t.Context(), entity("p", "r", nil), nil)
	wantCode(t, err, "404 TableNotFound")
	_, err = client.CreateTable(t.Context(), nil)
	wantCode(t, err, "done")
	_, err = client.CreateTable(t.Context(), nil)
	wantCode(t, err, "409 TableAlreadyExists")
	_, err = client.Delete(t.Context(), nil)
	wantCode(t, err, "done")
	_, err = client.Delete(t.Context(), nil)
	wantCode(t, err, "404 ResourceNotFound")
}

// TestModes updates and upserts in every mode that the SDK names.
func TestModes(t *testing.T) {
	client := table(t)
	for _, mode := range aztables.PossibleUpdateModeValues() {
		t.Run(string(mode), func(t *testing.T) {
			rk := string(mode)
			missing := entity("p", rk, nil)
			_, err := client.UpdateEntity(t.Context(), missing, &aztables.UpdateEntityOptions{UpdateMode: mode})
			wantCode(t, err, "404 ResourceNotFound")
			_, err = client.UpsertEntity(t.Context(), entity("p", rk, map[string]any{"old": 1}), &aztables.UpsertEntityOptions{UpdateMode: mode})
			wantCode(t, err, "done")
			made := get(t, client, "p", rk)
			upserted, err := client.UpsertEntity(t.Context(), entity("p", rk, map[string]any{"upserted": 1}), &aztables.UpsertEntityOptions{UpdateMode: mode})
			wantCode(t, err, "done")
			updated, err := client.UpdateEntity(t.Context(), entity("p", rk, map[string]any{"updated": 1}),
				&aztables.UpdateEntityOptions{UpdateMode: mode, IfMatch: &upserted.ETag})
			wantCode(t, err, "done")
			got := get(t, client, "p", rk)
			want := map[aztables.UpdateMode]int{aztables.UpdateModeMerge: 3, aztables.UpdateModeReplace: 1}[mode]
			if len(got.Properties) != want || got.ETag != string(updated.ETag) || made.ETag == got.ETag {
				t.Errorf("got %+v after %s, want %d properties", got, updated.ETag, want)
			}
		})
	}
}

// TestTransactionTypes holds every type of operation that the SDK names, and
// what each does to an entity that is there and to one that is not.
func TestTransactionTypes(t *testing.T) {
	client := table(t)
	want := map[aztables.TransactionType][2]string{
		aztables.TransactionTypeAdd:           {"409 EntityAlreadyExists", "done"},
		aztables.TransactionTypeUpdateMerge:   {"done", "404 ResourceNotFound"},
		aztables.TransactionTypeUpdateReplace: {"done", "404 ResourceNotFound"},
		aztables.TransactionTypeInsertMerge:   {"done", "done"},
		aztables.TransactionTypeInsertReplace: {"done", "done"},
		aztables.TransactionTypeDelete:        {"done", "404 ResourceNotFound"},
	}
	for _, kind := range aztables.PossibleTransactionTypeValues() {
		there, missing := string(kind), string(kind)+" of none"
		add(t, client, aztables.EDMEntity{Entity: aztables.Entity{PartitionKey: "p", RowKey: there}})
		for i, rk := range []string{there, missing} {
			// A companion makes the index show, which operations alone go without.
			companion := aztables.TransactionAction{ActionType: aztables.TransactionTypeInsertMerge, Entity: entity("p", "companion", nil)}
			operation := action(t, kind, rk, 7)
			if strings.HasPrefix(string(kind), "update") {
				operation.IfMatch = to.Ptr(azcore.ETagAny) // without it the SDK upserts
			}
			_, err := client.SubmitTransaction(t.Context(), []aztables.TransactionAction{companion, operation}, nil)
			got := code(err)
			if err != nil {
				got = innerCode(err)
			}
			if expect := want[kind][i]; got != expect {
				t.Errorf("%s: got %s, want %s", rk, got, expect)
			}
		}
	}
	stale := to.Ptr(azcore.ETag(`W/"datetime'2020-01-01T00%3A00%3A00Z'"`))
	for _, kind := range []aztables.TransactionType{aztables.TransactionTypeUpdateMerge, aztables.TransactionTypeUpdateReplace, aztables.TransactionTypeDelete} {
		late := action(t, kind, string(aztables.TransactionTypeAdd), 8)
		late.IfMatch = stale
		_, err := client.SubmitTransaction(t.Context(), []aztables.TransactionAction{action(t, aztables.TransactionTypeAdd, "never", 1), late}, nil)
		if got := innerCode(err); got != "412 UpdateConditionNotSatisfied" {
			t.Errorf("%s with a stale tag: %s", kind, got)
		}
	}
	_, err := client.GetEntity(t.Context(), "p", "never", nil)
	wantCode(t, err, "404 ResourceNotFound")
}

// innerCode is the status and code of the operation that failed a
// transaction, which the SDK gives as text alone.
func innerCode(err error) string {
	var failed *azcore.ResponseError
	if !errors.As(err, &failed) {
		return fmt.Sprint(err)
	}
	_, part, _ := strings.Cut(err.Error(), "HTTP/1.1 ")
	status, _, _ := strings.Cut(part, " ")
	_, part, _ = strings.Cut(part, `"code": "`)
	if part == "" {
		_, part, _ = strings.Cut(err.Error(), `"code":"`)
	}
	name, _, _ := strings.Cut(part, `"`)
	return status + " " + name
}

// TestFormats asks for each level of metadata, of one entity and of many.
func TestFormats(t *testing.T) {
	client := table(t)
	sent := aztables.EDMEntity{Entity: aztables.Entity{PartitionKey: "p", RowKey: "r"}, Properties: map[string]any{"n": aztables.EDMInt64(5)}}
	if _, err := client.AddEntity(t.Context(), marshal(t, sent), &aztables.AddEntityOptions{Format: to.Ptr(aztables.MetadataFormatFull)}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		format aztables.MetadataFormat
		want   []string
	}{
		{aztables.MetadataFormatNone, []string{"PartitionKey", "RowKey", "Timestamp", "n"}},
		{aztables.MetadataFormatMinimal, []string{"PartitionKey", "RowKey", "Timestamp", "n", "n@odata.type", "odata.etag", "odata.metadata"}},
		{aztables.MetadataFormatFull, []string{"PartitionKey", "RowKey", "Timestamp", "Timestamp@odata.type", "n", "n@odata.type",
			"odata.editLink", "odata.etag", "odata.id", "odata.metadata", "odata.type"}},
	} {
		one, err := client.GetEntity(t.Context(), "p", "r", &aztables.GetEntityOptions{Format: &c.format})
		if err != nil {
			t.Fatal(err)
		}
		if got := memberNames(t, one.Value); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.format, got, c.want)
		}
		page, err := client.NewListEntitiesPager(&aztables.ListEntitiesOptions{Format: &c.format}).NextPage(t.Context())
		if err != nil || len(page.Entities) != 1 {
			t.Fatalf("%d entities, %v", len(page.Entities), err)
		}
		inList := slices.DeleteFunc(slices.Clone(c.want), func(name string) bool { return name == "odata.metadata" })
		if got := memberNames(t, page.Entities[0]); !slices.Equal(got, inList) {
			t.Errorf("%s in a list: %v, want %v", c.format, got, inList)
		}
	}
}

func memberNames(t *testing.T, object []byte) (names []string) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		t.Fatal(err)
	}
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestPagesTakenUpAgain goes on from a page's keys, with select and top.
func TestPagesTakenUpAgain(t *testing.T) {
	client := table(t)
	for i := range 7 {
		add(t, client, aztables.EDMEntity{Entity: aztables.Entity{PartitionKey: "é'p", RowKey: fmt.Sprint(i)}, Properties: map[string]any{"n": int32(i)}})
	}
	options := &aztables.ListEntitiesOptions{Top: to.Ptr[int32](3), Select: to.Ptr("RowKey"), Filter: to.Ptr("n ge 1")}
	var pages []string
	for {
		page, err := client.NewListEntitiesPager(options).NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var keys bytes.Buffer
		for _, raw := range page.Entities {
			var entity struct{ RowKey string }
			if err := json.Unmarshal(raw, &entity); err != nil {
				t.Fatal(err)
			}
			keys.WriteString(entity.RowKey)
		}
		pages = append(pages, keys.String())
		if page.NextPartitionKey == nil {
			break
		}
		options.NextPartitionKey, options.NextRowKey = page.NextPartitionKey, page.NextRowKey
	}
	if got := strings.Join(pages, " "); got != "123 456" {
		t.Errorf("pages %q", got)
	}
}

func TestServiceProperties(t *testing.T) {
	service := serve(t)
	retention := &aztables.RetentionPolicy{Enabled: to.Ptr(true), Days: to.Ptr[int32](5)}
	want := aztables.ServiceProperties{
		Logging:       &aztables.Logging{Version: to.Ptr("1.0"), Read: to.Ptr(true), Write: to.Ptr(false), Delete: to.Ptr(true), RetentionPolicy: retention},
		HourMetrics:   &aztables.Metrics{Version: to.Ptr("1.0"), Enabled: to.Ptr(true), IncludeAPIs: to.Ptr(true), RetentionPolicy: retention},
		MinuteMetrics: &aztables.Metrics{Version: to.Ptr("1.0"), Enabled: to.Ptr(true), IncludeAPIs: to.Ptr(false), RetentionPolicy: &aztables.RetentionPolicy{Enabled: to.Ptr(false)}},
		Cors: []*aztables.CorsRule{{
			AllowedOrigins: to.Ptr("https://www.example.com"), AllowedMethods: to.Ptr("GET,MERGE"), AllowedHeaders: to.Ptr("x-ms-*"),
			ExposedHeaders: to.Ptr("*"), MaxAgeInSeconds: to.Ptr[int32](60),
		}},
	}
	if _, err := service.SetProperties(t.Context(), want, nil); err != nil {
		t.Fatal(err)
	}
	wantProperties := func() {
		t.Helper()
		got, err := service.GetProperties(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.ServiceProperties, want) {
			t.Errorf("got  %s\nwant %s", marshal(t, got.ServiceProperties), marshal(t, want))
		}
	}
	wantProperties()
	want.Logging.Read = to.Ptr(false)
	if _, err := service.SetProperties(t.Context(), aztables.ServiceProperties{Logging: want.Logging}, nil); err != nil {
		t.Fatal(err)
	}
	wantProperties() // the rest stays
	_, err := service.SetProperties(t.Context(), aztables.ServiceProperties{Cors: slices.Repeat(want.Cors, 6)}, nil)
	wantCode(t, err, "400 InvalidXmlDocument")
	wantProperties()
}

func TestStatistics(t *testing.T) {
	server := listen(t)
	secondary := server.service(t, server.path+"-secondary", nil)
	got, err := secondary.GetStatistics(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if status := *got.GeoReplication.Status; status != aztables.GeoReplicationStatusLive || !slices.Contains(aztables.PossibleGeoReplicationStatusValues(), status) {
		t.Errorf("status %s", status)
	}
	if since := time.Since(*got.GeoReplication.LastSyncTime); since.Abs() > time.Minute {
		t.Errorf("synced %v ago", since)
	}
	_, err = server.service(t, server.path, nil).GetStatistics(t.Context(), nil)
	wantCode(t, err, "400 InvalidQueryParameterValue")
	_, err = secondary.CreateTable(t.Context(), "Never", nil)
	wantCode(t, err, "403 WriteOperationNotSupportedOnSecondary") // see C11
}

func TestAccessPolicies(t *testing.T) {
	client := table(t)
	start, expiry := time.Date(2020, 1, 2, 3, 4, 5, 678900000, time.UTC), time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, want := range map[string][]*aztables.SignedIdentifier{
		"whole":   {{ID: to.Ptr("a & <b>"), AccessPolicy: &aztables.AccessPolicy{Start: &start, Expiry: &expiry, Permission: to.Ptr("raud")}}},
		"part":    {{ID: to.Ptr("part"), AccessPolicy: &aztables.AccessPolicy{Permission: to.Ptr("r")}}},
		"null":    {{ID: to.Ptr("null")}},
		"several": {{ID: to.Ptr("1")}, {ID: to.Ptr("2")}, {ID: to.Ptr("3")}, {ID: to.Ptr("4")}, {ID: to.Ptr("5")}},
		"none":    nil,
	} {
		if _, err := client.SetAccessPolicy(t.Context(), &aztables.SetAccessPolicyOptions{TableACL: want}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := client.GetAccessPolicy(t.Context(), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, want := string(marshal(t, got.SignedIdentifiers)), string(marshal(t, want)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
	six := slices.Repeat([]*aztables.SignedIdentifier{{ID: to.Ptr("six")}}, 6)
	_, err := client.SetAccessPolicy(t.Context(), &aztables.SetAccessPolicyOptions{TableACL: six})
	if err == nil || !strings.Contains(err.Error(), "more than five (5) access policies") { // the SDK's own words for 400
		t.Errorf("six policies: %v", err)
	}
}

// TestErrorCodes asks for errors that the SDK has names for, and finds them
// under those names.
func TestErrorCodes(t *testing.T) {
	service := serve(t)
	client := service.NewClient("Errors")
	if _, err := client.CreateTable(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	add(t, client, aztables.EDMEntity{Entity: aztables.Entity{PartitionKey: "p", RowKey: "r"}})
	put := func(properties map[string]any) error {
		_, err := client.UpsertEntity(t.Context(), entity("p", "r", properties), &aztables.UpsertEntityOptions{UpdateMode: aztables.UpdateModeReplace})
		return err
	}
	many := map[string]any{}
	for i := range 253 {
		many[fmt.Sprint("p", i)] = i
	}
	large := map[string]any{}
	for i := range 20 {
		large[fmt.Sprint("p", i)] = strings.Repeat("x", 32000)
	}
	for want, err := range map[aztables.TableErrorCode]error{
		aztables.TableAlreadyExists:    second(client.CreateTable(t.Context(), nil)),
		aztables.TableNotFound:         second(service.NewClient("Missing").GetEntity(t.Context(), "p", "r", nil)),
		aztables.EntityAlreadyExists:   second(client.AddEntity(t.Context(), entity("p", "r", nil), nil)),
		aztables.ResourceNotFound:      second(client.GetEntity(t.Context(), "p", "none", nil)),
		aztables.NotImplemented:        second(client.NewListEntitiesPager(&aztables.ListEntitiesOptions{Filter: to.Ptr("startswith(s,'a')")}).NextPage(t.Context())),
		aztables.PropertyNameTooLong:   put(map[string]any{strings.Repeat("n", 256): 1}),
		aztables.PropertyValueTooLarge: put(map[string]any{"s": strings.Repeat("x", 32769)}),
		aztables.TooManyProperties:     put(many),
		aztables.EntityTooLarge:        put(large),
		aztables.OutOfRangeInput:       second(client.AddEntity(t.Context(), entity("p", "a/b", nil), nil)),
		aztables.InvalidInput:          second(client.NewListEntitiesPager(&aztables.ListEntitiesOptions{Filter: to.Ptr("n eq")}).NextPage(t.Context())),
		aztables.UpdateConditionNotSatisfied: second(client.DeleteEntity(t.Context(), "p", "r",
			&aztables.DeleteEntityOptions{IfMatch: to.Ptr(azcore.ETag(`W/"datetime'2020-01-01T00%3A00%3A00Z'"`))})),
	} {
		var failed *azcore.ResponseError
		if !errors.As(err, &failed) || failed.ErrorCode != string(want) {
			t.Errorf("got %s, want %s", code(err), want)
		}
		if !slices.Contains(aztables.PossibleTableErrorCodeValues(), want) {
			t.Errorf("the SDK has no %s", want)
		}
	}
}

func second[T any](_ T, err error) error { return err }
