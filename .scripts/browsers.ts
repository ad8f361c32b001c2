/**
 * Says for every built file of the field app the lowest Chrome that runs it: `npm run browsers`. Fails where that is above the app's
 * floor. Expects a build (`npm run build -w examples/field-app`).
 */
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromeFloor } from "../examples/field-app/browser-floor.ts";
import { lowestBrowser } from "./lowest-browser.ts";

const built = fileURLToPath(new URL("../examples/field-app/dist", import.meta.url));
const files = readdirSync(built, { recursive: true, encoding: "utf8" }).filter((name) =>
  [".js", ".css"].includes(extname(name)),
);
let above = 0;

for (const name of files.sort()) {
  const code = readFileSync(join(built, name), "utf8");
  const { chrome, because } = await lowestBrowser(code, extname(name) === ".css" ? "css" : "js");
  const isAbove = chrome > chromeFloor;
  if (isAbove) above++;
  process.stdout.write(
    `Chrome ${String(chrome).padStart(3)} of ${chromeFloor}  ${name} (${because})${isAbove ? ": too new" : ""}\n`,
  );
}

if (files.length === 0) process.stdout.write(`There is no built file in ${built}.\n`);
process.exitCode = above > 0 || files.length === 0 ? 1 : 0;
