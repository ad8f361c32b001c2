import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Plugin } from "vite";
import { getManifest, type ManifestTransform } from "workbox-build";
import { chromeFloor } from "./browser-floor.ts";

/** After a build, lists every file it made and bundles the service worker with that list. */
export function offlineBuild(folder: URL): Plugin {
  let out = "";
  return {
    name: "fieldroll-offline-build",
    apply: "build",
    configResolved({ root, build: { outDir } }) {
      out = resolve(root, outDir);
    },
    async closeBundle(error) {
      if (error) return;
      const { manifestEntries, warnings } = await getManifest({
        globDirectory: out,
        globPatterns: ["**/*.{html,js,css,svg,png,json,webmanifest}"],
        globIgnores: ["service-worker.js"],
        // Vite puts a hash of the content into these names.
        dontCacheBustURLsMatching: /^assets\//,
        maximumFileSizeToCacheInBytes: 4_000_000,
        manifestTransforms: [withIntegrity(out)],
      });
      if (warnings.length > 0)
        throw new Error(`The list of the app's files is not whole: ${warnings.join("; ")}`);
      await build({
        entryPoints: [fileURLToPath(new URL("src/service-worker.ts", folder))],
        outfile: join(out, "service-worker.js"),
        bundle: true,
        minify: true,
        format: "iife",
        target: `chrome${chromeFloor}`,
        conditions: ["@fieldroll/source"],
        define: { appFiles: JSON.stringify(manifestEntries), "process.env.NODE_ENV": '"production"' },
      });
    },
  };
}

/** Pages, scripts and styles are taken as they were built and not otherwise; a deployment may replace its areas and icons. */
function withIntegrity(out: string): ManifestTransform {
  const fixed = new Set([".html", ".js", ".css"]);
  return async (entries) => ({
    manifest: await Promise.all(
      entries.map(async (entry) => {
        if (!fixed.has(extname(entry.url))) return entry;
        const digest = createHash("sha384").update(await readFile(join(out, entry.url)));
        return { ...entry, integrity: `sha384-${digest.digest("base64")}` };
      }),
    ),
  });
}
