// Hint: begins where the page with this token ended
console.log("0051");
