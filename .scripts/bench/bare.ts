/**
 * The least that an answer can cost: `node:http` and one point read of the same file by the same client library.
 * With `commits <seconds>` instead of a port: raw upserts, each committed durably, as many as fit; prints how many a second.
 */
import { createServer } from "node:http";
import Database from "better-sqlite3";

const [path = "", mode, seconds] = process.argv.slice(2);
const database = new Database(path);
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");

function serve(): void {
  const read = database.prepare(
    "SELECT d.body FROM claims c JOIN documents d ON d.collection = c.collection AND d.key = c.key WHERE c.claim = ?",
  );
  const server = createServer((request, response) => {
    const claim = decodeURIComponent((request.url ?? "").slice(1));
    const row = read.get(claim) as { body: string } | undefined;
    response.writeHead(row ? 200 : 404, { "Content-Type": "application/json" });
    response.end(row?.body ?? "{}");
  });
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(`${JSON.stringify(server.address())}\n`);
  });
}

function commit(duration: number): void {
  database.exec("CREATE TABLE IF NOT EXISTS bench (key TEXT PRIMARY KEY, body TEXT NOT NULL)");
  const upsert = database.prepare(
    "INSERT INTO bench (key, body) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body",
  );
  const body = JSON.stringify({ name: "x".repeat(800) });
  const end = performance.now() + duration * 1000;
  const begin = performance.now();
  let count = 0;
  for (; performance.now() < end; count++) upsert.run(String(count % 1000), body + count);
  process.stdout.write(`${(count * 1000) / (performance.now() - begin)}\n`);
  database.close();
}

if (mode === "commits") commit(Number(seconds));
else serve();
