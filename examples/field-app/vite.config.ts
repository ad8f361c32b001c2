import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));

export default defineConfig({
  // Relative addresses, so that the app can be served from any folder.
  base: "./",
  plugins: [react()],
  resolve: { conditions: ["@fieldroll/source", ...defaultClientConditions] },
  css: { preprocessorOptions: { scss: { loadPaths: [modules], quietDeps: true } } },
  worker: { format: "es" },
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { "/api": "http://127.0.0.1:8080", "/oauth2": "http://127.0.0.1:8080" } },
});
