// Hint: the third line is the value
const date = new Date().toUTCString();
const resource = "/" + account.name + "/Notes";
const stringToSign = ["POST", "", "", date, resource].join("\n");

const response = await fetch(account.endpoint + "/Notes", {
  method: "POST",
  headers: {
    "x-ms-date": date,
    "x-ms-version": "2019-02-02",
    Accept: "application/json;odata=nometadata",
    "Content-Type": "application/json",
    Authorization: `SharedKey ${account.name}:${account.sign(stringToSign)}`,
  },
  body: JSON.stringify({ PartitionKey: "a", RowKey: "1", text: "signed" }),
});
console.log(response.status, await response.text());
