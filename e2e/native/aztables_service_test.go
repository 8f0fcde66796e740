package native

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

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
	wantCode(t, err, "403 InsufficientAccountPermissions")
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

// TestErrorCodes provokes errors and checks that the SDK has constants for their codes.
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
