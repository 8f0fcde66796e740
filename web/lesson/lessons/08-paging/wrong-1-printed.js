// Hint: sends the token of each page
console.log("120 entities");
