/**
 * The process that is killed: several writers at once on one handle, each making the commits of its program and printing
 * `<writer> <number>` once one has resolved. Its argument says which store, which writers and which seed.
 */
import { writeSync } from "node:fs";
import type { Store } from "@fieldroll/core";
import { advance, newLife, nextCommit, sharedAt, sharedKey, sharesAt, tallyKey } from "./program.ts";
import { openTarget, type Target } from "./subjects.ts";

/** What a writer's process is told. */
export interface WriterOrder {
  readonly target: Target;
  readonly writers: readonly string[];
  readonly seed: number;
}

const order = JSON.parse(process.argv[2] ?? "") as WriterOrder;
const store = await openTarget(order.target);
await Promise.all(order.writers.map((writer) => write(store, writer)));

async function write(store: Store, writer: string): Promise<void> {
  const life = newLife(writer, order.seed);
  const [tally] = await store.get([tallyKey(writer)]);
  while (life.made < (tally?.version ?? 0)) advance(life);
  for (;;) {
    await makeNext(store, life);
    advance(life);
    acknowledge(`${writer} ${life.made}\n`);
  }
}

/** Makes a writer's next commit, as often as others raise the shared document first. */
async function makeNext(store: Store, life: Parameters<typeof nextCommit>[0]): Promise<void> {
  const commit = nextCommit(life);
  if (!sharesAt(life.made + 1)) {
    const result = await store.commit(commit);
    if (!result.ok) throw new Error(`Refused: ${JSON.stringify(result.failures)}`);
    return;
  }
  for (;;) {
    const [shared] = await store.get([sharedKey]);
    const { version = 0 } = shared ?? {};
    const expectation =
      version === 0
        ? ({ kind: "absent", ...sharedKey } as const)
        : ({ kind: "version", ...sharedKey, version } as const);
    const expect = [...(commit.expect ?? []), expectation];
    const result = await store.commit({ ...commit, expect, put: [...commit.put, sharedAt(version + 1)] });
    if (result.ok) return;
    const own = result.failures.filter(
      (failure) =>
        failure.kind !== "expectation" ||
        failure.expectation.kind === "free" ||
        failure.expectation.key !== sharedKey.key,
    );
    if (own.length > 0) throw new Error(`Refused: ${JSON.stringify(own)}`);
  }
}

function acknowledge(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      // The reader is behind: nothing of the line was taken yet.
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    }
  }
}
