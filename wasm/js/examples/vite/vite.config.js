import { defineConfig } from "vite";

export default defineConfig({
  base: "./", // a project page of a static host is in a folder
  build: { target: "es2022" }, // await at the top of a module
});
