import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";

/** Runs that failed once, by property: they are run again before anything new. */
const corpusPath = fileURLToPath(new URL("corpus.json", import.meta.url));

interface Failure {
  readonly seed: number;
  readonly path: string;
}

type Corpus = Readonly<Record<string, readonly Failure[]>>;

function readCorpus(): Corpus {
  return JSON.parse(readFileSync(corpusPath, "utf8")) as Corpus;
}

/**
 * Checks a property on what failed before and then on new runs, whose seed is printed. What fails goes to the corpus.
 *
 * @param name of the property in the corpus; PROPERTY_SEED runs one seed, PROPERTY_RUNS another number of runs,
 * as `npm run test:properties` does
 */
export async function check<T>(
  name: string,
  property: fc.IAsyncProperty<T>,
  { runs }: { readonly runs: number },
): Promise<void> {
  for (const failure of readCorpus()[name] ?? []) {
    await fc.assert(property, { ...failure, numRuns: 1, endOnFailure: true });
  }
  const seed = Number(process.env.PROPERTY_SEED ?? Math.trunc(performance.timeOrigin) % 2_147_483_647);
  const numRuns = Number(process.env.PROPERTY_RUNS ?? runs);
  process.stdout.write(`${name}: seed ${seed}, ${numRuns} runs\n`);
  const details = await fc.check(property, {
    seed,
    numRuns,
    interruptAfterTimeLimit: numRuns > runs ? 3_500_000 : 120_000,
    markInterruptAsFailure: false,
  });
  if (details.failed && details.counterexamplePath !== null)
    keep(name, { seed, path: details.counterexamplePath });
  if (details.failed) throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
}

function keep(name: string, failure: Failure): void {
  const corpus = readCorpus();
  const failures = [...(corpus[name] ?? []), failure];
  writeFileSync(corpusPath, `${JSON.stringify({ ...corpus, [name]: failures }, null, 2)}\n`);
}
