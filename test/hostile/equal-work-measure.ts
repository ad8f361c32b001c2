import { createSeededRandom } from "@fieldroll/core/testing";
import { type Asked, batchOf, nameOf, type Probe, probes, requestOf } from "./equal-work-probes.ts";
import type { EqualWorld, Names } from "./equal-work-world.ts";

/** A request in its two forms, for the n-th pair. */
export interface Pair {
  readonly name: string;
  readonly ask: (names: readonly Names[], n: number, world: EqualWorld) => Asked;
}

/** How well the best threshold tells hidden from unknown: 0.5 is chance, 1 is always. */
export interface Accuracy {
  readonly name: string;
  readonly time: number;
  readonly size: number;
  /** Medians, in milliseconds. */
  readonly hidden: number;
  readonly unknown: number;
}

/** Every probe alone, in a `$batch` by itself, and `many` of them in one. */
export function pairs({ many }: { readonly many: number }): readonly Pair[] {
  const single = probes.map((probe): Pair => ({ name: nameOf(probe), ask: one(probe) }));
  const batched = probes
    .filter(({ inBatch }) => inBatch)
    .flatMap((probe): Pair[] => {
      const list = (names: readonly Names[], n: number, world: EqualWorld, count: number) =>
        Array.from({ length: count }, (_, i) => one(probe)(names, n + i, world));
      const write = !probe.route.startsWith("GET");
      return [
        {
          name: `$batch of ${many}: ${nameOf(probe)}`,
          ask: (names, n, world) => batchOf("batch", list(names, n, world, many)),
        },
        ...(write && !probe.route.startsWith("POST")
          ? [
              {
                name: `transaction: ${nameOf(probe)}`,
                ask: (names: readonly Names[], n: number, world: EqualWorld) =>
                  batchOf("transaction", list(names, n, world, names.length)),
              },
            ]
          : []),
      ];
    });
  return [...single, ...batched];
}

function one(probe: Probe) {
  return (names: readonly Names[], n: number, world: EqualWorld): Asked => {
    const named = names[n % names.length];
    if (!named) throw new Error("There are no names.");
    return probe.ask(named, world);
  };
}

interface Sample {
  readonly hidden: boolean;
  readonly value: number;
}

/** Asks for hidden and unknown records in turn, each pair in random order, and looks for the threshold that tells them apart. */
export async function accuracyOf(
  world: EqualWorld,
  { name, ask }: Pair,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<Accuracy> {
  const random = createSeededRandom(seed);
  const times: Sample[] = [];
  const sizes: Sample[] = [];
  const warm = Math.ceil(count / 10);
  for (let n = -warm; n < count; n++) {
    const order = random.next() < 0.5 ? [true, false] : [false, true];
    for (const hidden of order) {
      const request = requestOf(world, ask(hidden ? world.hidden : world.unknown, n + warm, world));
      const begun = performance.now();
      const answer = await world.handle(request);
      const bytes = (await answer.arrayBuffer()).byteLength;
      const value = performance.now() - begun;
      if (n < 0) continue;
      times.push({ hidden, value });
      sizes.push({ hidden, value: bytes });
    }
  }
  const median = (hidden: boolean) => {
    const own = times.filter((one) => one.hidden === hidden).map(({ value }) => value);
    return own.sort((a, b) => a - b)[own.length >> 1] ?? 0;
  };
  return {
    name,
    time: bestThreshold(times),
    size: bestThreshold(sizes),
    hidden: median(true),
    unknown: median(false),
  };
}

/** Finds the best threshold on every other pair, and says how often it is right on the rest. */
export function bestThreshold(samples: readonly Sample[]): number {
  const [train, test] = [0, 1].map((half) => samples.filter((_, i) => (i >> 1) % 2 === half)) as [
    Sample[],
    Sample[],
  ];
  const sorted = train.toSorted((a, b) => a.value - b.value);
  let below = 0;
  let best = { right: train.length / 2, at: Number.NEGATIVE_INFINITY, hiddenAbove: true };
  sorted.forEach(({ hidden, value }, i) => {
    below += hidden ? -1 : 1;
    const next = sorted[i + 1]?.value ?? value;
    if (next === value) return;
    const right = train.length / 2 + Math.abs(below);
    if (right > best.right) best = { right, at: (value + next) / 2, hiddenAbove: below > 0 };
  });
  const right = test.filter(({ hidden, value }) => hidden === (value > best.at === best.hiddenAbove));
  return right.length / Math.max(1, test.length);
}
