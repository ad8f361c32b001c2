/**
 * `npm start`: the demonstration on this machine. Builds the field app where it has no build or one older than its sources,
 * then runs `fieldroll serve --demo` on a SQLite file in .data/, in this very process, so that Ctrl-C and SIGTERM
 * reach the server itself. PORT names another port than 8080; arguments after `--` go to `fieldroll serve`.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listen } from "@fieldroll/server/node";
import { reasonToBuild } from "./reason-to-build.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const app = join(root, "examples", "field-app");
const main = join(root, "packages", "server", "src", "cli", "main.ts");

function buildApp(reason: string): void {
  process.stderr.write(`Building the field app (${reason}) …\n`);
  const { status } = spawnSync("npm", ["run", "--silent", "build", "--workspace", "examples/field-app"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (status === 0) return;
  process.stderr.write("The field app could not be built; what is wrong stands above.\n");
  process.exit(1);
}

const port = process.env.PORT || "8080";
const given = process.argv.slice(2);

/** The server says so too, but only once the app is built, which takes long. */
async function refuseTakenPort(): Promise<void> {
  if (given.some((option) => /^--(port|host)\b/.test(option)) || !/^\d{1,5}$/.test(port)) return;
  try {
    const handler = async () => new Response();
    await (await listen({ handler, port: Number(port) })).close();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    process.stderr.write(`fieldroll: ${text} (PORT=9090 npm start takes that one.)\n`);
    process.exit(1);
  }
}

const sources = [app, ...["core", "storage", "sync"].map((name) => join(root, "packages", name, "src"))];
const reason = reasonToBuild(join(app, "dist", "index.html"), sources);
if (reason !== undefined) {
  await refuseTakenPort();
  buildApp(reason);
}

process.chdir(root);
process.argv = [
  process.argv[0] ?? "node",
  main,
  "serve",
  "--demo",
  "--database",
  "sqlite:./.data/fieldroll.db",
  "--create",
  "--app",
  "examples/field-app/dist",
  "--port",
  port,
  ...given,
];
await import(main);
