import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The declarations of a text by name, without comments and white space, and without what makes them `readonly`. */
function declarations(text: string): ReadonlyMap<string, string> {
  const plain = text
    .replace(/\/\*\*.*?\*\//gs, "")
    .replace(/^(import|export class) .*?^(?=export)|^export class .*/gms, "")
    .replace(/\b(export|readonly) /g, "");
  const parts = plain.split(/^(?=(?:interface|type) )/m).filter((part) => /^(interface|type) /.test(part));
  return new Map(
    parts.map((part) => [
      /\w+ (\w+)/.exec(part)?.[1] ?? "",
      part.replace(/\s+/g, "").replace(/;(?=\}|$)/g, ""),
    ]),
  );
}

it("the page on how to write a store has every form of the port as the port has it", async () => {
  const page = await readFile(join(root, "docs", "write-a-store.md"), "utf8");
  const forms = declarations(/^```ts forms\n(.*?)^```/ms.exec(page)?.[1] ?? "");
  const port = declarations(await readFile(join(root, "packages/core/src/store/port.ts"), "utf8"));
  expect(port.size).toBeGreaterThan(20);
  expect(Object.fromEntries(forms)).toEqual(Object.fromEntries(port));
});
