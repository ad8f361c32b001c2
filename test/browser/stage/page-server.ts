import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Serves a page of one script on the loopback, where IndexedDB works as it does under https.
 *
 * @param script the script's source, from the project's root
 */
export async function servePage(
  script: string,
  options: { readonly minify?: boolean } = {},
): Promise<{ readonly port: number; close(): void }> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [script],
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    conditions: ["@fieldroll/source"],
    define: { "process.env.NODE_ENV": '"production"' },
    ...options,
  });
  const text = outputFiles[0]?.text ?? "";
  const server = createServer((request, response) => {
    const isScript = request.url === "/page.js";
    response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? text : '<!doctype html><script src="/page.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => server.close() };
}
