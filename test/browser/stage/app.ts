import { fileURLToPath } from "node:url";
import { build } from "vite";

/** Builds the field app as it is shipped, so that the story never runs on yesterday's. */
export async function buildFieldApp(): Promise<void> {
  const root = fileURLToPath(new URL("../../../examples/field-app", import.meta.url));
  await build({ root, configFile: `${root}/vite.config.ts`, logLevel: "warn" });
}
