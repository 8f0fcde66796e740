// 4 bytes, twice the length of both keys, and for each property
// 8 bytes, twice the length of its name, and its value.
const valueSize = {
  String: (text) => 2 * text.length + 4,
  Int32: () => 4,
  Double: () => 8,
  Boolean: () => 1,
};

function size(partitionKey, rowKey, properties) {
  let bytes = 4 + 2 * (partitionKey.length + rowKey.length);
  for (const [name, type, value] of properties) {
    bytes += 8 + 2 * name.length + valueSize[type](value);
  }
  return bytes;
}

const entities = [
  ["EU", "0001", [["name", "String", "Amara"], ["age", "Int32", 21], ["active", "Boolean", true]]],
  ["EU", "0002", [["name", "String", "Dmitri Ivanov"], ["score", "Double", 4.5]]],
  ["US", "0001", [["name", "String", "Grace"], ["city", "String", "Arlington"]]],
];
for (const [partitionKey, rowKey, properties] of entities) {
  console.log(partitionKey, rowKey, size(partitionKey, rowKey, properties), "bytes");
}
