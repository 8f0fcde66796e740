const response = await fetch("https://playground.table.core.windows.net/Events()", {
  headers: { Accept: "application/atom+xml", "x-ms-version": "2014-02-14" },
});
console.log(response.status, response.headers.get("Content-Type"));
console.log(await response.text());
