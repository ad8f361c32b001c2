import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Accuracy, accuracyOf, pairs } from "../../test/hostile/equal-work-measure.ts";
import { openEqualWorld } from "../../test/hostile/equal-work-world.ts";
import { readOptions } from "../options.ts";
import { namedServer } from "./postgres.ts";
import { openTarget, type Subject } from "./subjects.ts";

const usage = `npm run torture -- equal-work [--pairs 3000] [--people 5] [--many 100] [--seed N] [--only TEXT] [--url postgres://…]

Asks for records that are hidden from the caller and for such as are not there, in turn, and prints for each kind of request how
often the best threshold on time, and on size, tells them apart: 50 % is chance. With and without photos of 5 MiB.`;

/** Measures on SQLite, or on the PostgreSQL that is named. */
export async function measureEqualWork(args: string[]): Promise<void> {
  const { values } = readOptions(usage, {
    args,
    numbers: ["pairs", "people", "many", "seed"],
    options: {
      pairs: { type: "string", default: "3000" },
      people: { type: "string", default: "5" },
      many: { type: "string", default: "100" },
      seed: { type: "string", default: "1" },
      only: { type: "string", default: "" },
      url: { type: "string" },
    },
  });
  const [count, people, many, seed] = [values.pairs, values.people, values.many, values.seed].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  for (const photo of [false, true]) {
    const { target, drop } = values.url === undefined ? await inNewFile() : await namedServer(values.url);
    const store = await openTarget(target);
    try {
      const world = await openEqualWorld(store, { people, photo });
      const wanted = pairs({ many }).filter(({ name }) => name.includes(values.only));
      for (const pair of wanted) {
        const isMany = /^(\$batch|transaction)/.test(pair.name);
        const found = await accuracyOf(world, pair, { count: isMany ? Math.ceil(count / 10) : count, seed });
        process.stdout.write(`${lineOf(found)}${photo ? ", with photo" : ""}\n`);
      }
    } finally {
      await store.close();
      await drop();
    }
  }
}

function lineOf({ name, time, size, hidden, unknown }: Accuracy): string {
  const [byTime, bySize] = [time, size].map((share) => `${(share * 100).toFixed(1).padStart(5)} %`);
  return `${byTime} time ${bySize} size  ${hidden.toFixed(3)} / ${unknown.toFixed(3)} ms  ${name}`;
}

async function inNewFile(): Promise<Subject> {
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-equal-"));
  const drop = () => rm(folder, { recursive: true });
  return { target: { kind: "sqlite", path: join(folder, "equal.db") }, drop };
}
