/**
 * A process of the concurrency check: a writer, that prints each commit that was acknowledged as a line of JSON, or a reader,
 * that prints each change it is told as `<key> <version>` or `<key> gone`. It ends when its standard input does: a writer
 * after its present commit, a reader when there is nothing more to be told.
 */
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { randomOf } from "../torture/program.ts";
import { feed, type Life, nextDeed } from "./program.ts";

/** What such a process is told. */
export interface WorkerOrder {
  readonly url: string;
  readonly schema: string;
  readonly name: string;
  readonly seed: number;
  readonly role: "writer" | "reader";
  /** Changes that a reader takes at a time. */
  readonly limit: number;
  /** Whether a reader ignores open transactions, as one would that took positions from a sequence. */
  readonly blind: boolean;
}

const order = JSON.parse(process.argv[2] ?? "") as WorkerOrder;
let isEnding = false;
process.stdin.resume();
process.stdin.on("end", () => {
  isEnding = true;
});
if (order.blind) ignoreOpenTransactions();
const store = await openPostgresStore({
  connectionString: order.url,
  schema: order.schema,
  connections: 2,
  create: false,
});
await (order.role === "writer" ? write() : read());
await store.close();
process.stdin.destroy();

/** Two at a time, so that the processes meet inside one connection pool as well. */
async function write(): Promise<void> {
  await Promise.all(
    [0, 1].map(async (half) => {
      const writer = `${order.name}${half}`;
      const life: Life = { writer, random: randomOf(`${order.seed} ${writer}`), tried: 0, own: [] };
      while (!isEnding) {
        const deed = await nextDeed(store, life);
        await print(deed ? JSON.stringify(deed) : "-");
      }
    }),
  );
}

async function read(): Promise<void> {
  let cursor: string | undefined;
  for (;;) {
    const isLast = isEnding;
    const page = await store.changes({ feed, limit: order.limit, ...(cursor !== undefined && { cursor }) });
    cursor = page.next;
    const lines = page.changes.map((change) =>
      change.kind === "put" ? `${change.document.key} ${change.document.version}` : `${change.key} gone`,
    );
    if (lines.length > 0) await print(lines.join("\n"));
    else if (isLast && !page.more) return;
    else await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function print(lines: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${lines}\n`, () => resolve()));
}

/** Takes the end of what has begun for the end of what is settled. */
function ignoreOpenTransactions(): void {
  const query = Client.prototype.query as (this: Client, ...given: unknown[]) => unknown;
  const blind = function (this: Client, asked: unknown, ...more: unknown[]) {
    const text = (asked as { text?: unknown } | undefined)?.text;
    const changed =
      typeof text === "string"
        ? { ...(asked as object), text: text.replaceAll("pg_snapshot_xmin(", "pg_snapshot_xmax(") }
        : asked;
    return query.call(this, changed, ...more);
  };
  Object.assign(Client.prototype, { query: blind });
}
