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

// Methods of aztables that no other file tests. aztables_complete_test.go checks
// that none is missing.

// endpoint is an account of a native server and how to reach it.
type endpoint struct {
	connection string
	path       string // the address with the account in its path
	account    string
	key        string
	at         string // host and port
}

// listen starts an in-memory native server on a free port until the test ends.
func listen(t *testing.T, flags ...string) endpoint {
	t.Helper()
	return listenIn(t, "", flags...)
}

// listenIn is listen with a data folder.
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
	t.Fatal("the server does not print its address")
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

// found returns options for a client that resolves every host to the server.
func (e endpoint) found() *aztables.ClientOptions {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, e.at)
	}
	return &aztables.ClientOptions{ClientOptions: policy.ClientOptions{
		Transport: &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}},
	}}
}

// code returns an error's status and code, or "done".
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

// TestAddressesAndKeys creates clients in every way that the SDK offers.
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
		"by path":                 must[*aztables.Client](t)(aztables.NewClientWithSharedKey(server.path+"/Reached", credential, nil)),
		"by host":                 must[*aztables.Client](t)(aztables.NewClientWithSharedKey(host+"/Reached", credential, server.found())),
		"from the service client": byHost.NewClient("Reached"),
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

// nobody is a credential that returns unverifiable bearer tokens.
type nobody struct{}

func (nobody) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: "of nobody", ExpiresOn: time.Now().Add(time.Hour)}, nil
}

// TestTokensOverHTTP shows that the SDK itself refuses to send tokens over http.
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
	// An open account accepts requests without credentials.
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
		{"resumed", &aztables.ListTablesOptions{Filter: filter, NextTableName: first.NextTableName}, "ListC"},
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

// TestTableOfItsOwn creates, uses and deletes a table through its own client.
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

// TestFormats requests each metadata level for one entity and for lists.
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

// TestPagesTakenUpAgain resumes paging from a page's keys, with select and top.
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
