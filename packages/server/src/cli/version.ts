import { readFileSync } from "node:fs";

/** The version in this package's manifest, which lies above both the sources and the build. */
export function packageVersion(): string {
  for (const place of ["../../package.json", "../package.json"]) {
    const manifest = readManifest(new URL(place, import.meta.url));
    if (manifest?.name === "@fieldroll/server") return manifest.version;
  }
  return "0.0.0";
}

function readManifest(url: URL): { readonly name: string; readonly version: string } | undefined {
  try {
    return JSON.parse(readFileSync(url, "utf8")) as { name: string; version: string };
  } catch {
    return undefined;
  }
}
