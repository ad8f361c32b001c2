import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig, type Plugin } from "vite";
import { chromeFloor } from "./browser-floor.ts";
import { buildId } from "./build-id.ts";
import { offlineBuild } from "./offline-build.ts";

const folder = new URL("./", import.meta.url);
const modules = fileURLToPath(new URL("../../node_modules", folder));
const server = process.env.FIELDROLL_SERVER ?? "http://127.0.0.1:8080";

/** Lets the page ask for the browser that it needs. */
const browserFloor: Plugin = {
  name: "fieldroll-browser-floor",
  transformIndexHtml: (html) => html.replaceAll("%CHROME_FLOOR%", String(chromeFloor)),
};

export default defineConfig(async () => ({
  root: fileURLToPath(folder),
  // Relative addresses, so that the app can be served from any folder.
  base: "./",
  define: { appBuild: JSON.stringify(await buildId(folder)) },
  plugins: [react(), browserFloor, offlineBuild(folder)],
  resolve: { conditions: ["@fieldroll/source", ...defaultClientConditions] },
  css: { preprocessorOptions: { scss: { loadPaths: [modules], quietDeps: true } } },
  worker: { format: "es" },
  build: {
    target: `chrome${chromeFloor}`,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // How long each plugin took tells nobody who starts the demonstration anything.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: { proxy: { "/api": server, "/oauth2": server } },
}));
