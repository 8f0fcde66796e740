// Hint: text.slice(0, 30_000)
console.log(40000);
