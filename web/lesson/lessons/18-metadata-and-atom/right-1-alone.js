const response = await fetch("https://playground.table.core.windows.net/Events()?$filter=PartitionKey%20eq%20'door'", {
  headers: { Accept: "application/json;odata=minimalmetadata", "x-ms-version": "2019-02-02" },
});
const { value: [event] } = await response.json();
console.log("time is an", event["time@odata.type"]);
