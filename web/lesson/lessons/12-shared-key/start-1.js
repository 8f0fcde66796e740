const date = new Date().toUTCString();
const resource = "/Tables";
const stringToSign = ["GET", "", "", date, resource].join("\n");
console.log(stringToSign);

const response = await fetch(account.endpoint + "/Tables", {
  headers: {
    "x-ms-date": date,
    "x-ms-version": "2019-02-02",
    Accept: "application/json;odata=nometadata",
    Authorization: `SharedKey ${account.name}:${account.sign(stringToSign)}`,
  },
});
console.log(response.status, await response.text());
