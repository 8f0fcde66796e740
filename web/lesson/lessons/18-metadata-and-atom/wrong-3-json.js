// Hint: an old version speaks both
const response = await fetch("https://playground.table.core.windows.net/Events()", {
  headers: { Accept: "application/json;odata=nometadata", "x-ms-version": "2014-02-14" },
});
console.log(response.status, response.headers.get("Content-Type"));
console.log(await response.text());
