// Hint: looking first leaves a gap
console.log("Amara");
throw new Error("400");
