import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Builds the field app as it is shipped, so that no story runs on yesterday's. */
export async function buildFieldApp(): Promise<void> {
  // The runner's NODE_ENV would make a build for development of it.
  const { NODE_ENV: _, ...env } = process.env;
  const command = ["run", "--silent", "build", "--workspace", "examples/field-app"];
  const child = spawn("npm", command, { cwd: root, env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`The field app could not be built:\n${said}`);
}
