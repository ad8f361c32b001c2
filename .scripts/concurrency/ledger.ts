/** A document's newest state as a reader was told it, or as it must be at the end. */
export type State = number | "gone";

/** What one commit did: documents with the versions they were given, and documents removed. */
export interface Deed {
  readonly put: readonly (readonly [key: string, version: number])[];
  readonly removed: readonly string[];
}

/** What writers have acknowledged and readers were told, and all that does not go together. Holds no store. */
export interface Ledger {
  /** Key to version to the writer that made it. */
  readonly made: Map<string, Map<number, string>>;
  readonly removed: Set<string>;
  /** Reader to key to what it was told last. */
  readonly told: Map<string, Map<string, State>>;
  readonly violations: string[];
}

/** A ledger in which nothing is written. */
export function newLedger(): Ledger {
  return { made: new Map(), removed: new Set(), told: new Map(), violations: [] };
}

/** Notes a commit that was acknowledged. */
export function noteDeed({ made, removed, violations }: Ledger, writer: string, deed: Deed): void {
  for (const [key, version] of deed.put) {
    const versions = made.get(key) ?? new Map<number, string>();
    made.set(key, versions);
    const winner = versions.get(version);
    if (winner !== undefined) violations.push(`${key}: ${winner} and ${writer} both made version ${version}`);
    versions.set(version, writer);
  }
  for (const key of deed.removed) {
    if (removed.has(key)) violations.push(`${key}: removed twice`);
    removed.add(key);
  }
}

/** Notes a change that a reader was told. Its order for each record must be that of versions, each at most once. */
export function noteTold({ told, violations }: Ledger, reader: string, key: string, state: State): void {
  const known = told.get(reader) ?? new Map<string, State>();
  told.set(reader, known);
  const before = known.get(key);
  const isLater = before === undefined || (before !== "gone" && (state === "gone" || state > before));
  if (!isLater) violations.push(`${key}: ${reader} was told ${state} after ${before}`);
  known.set(key, state);
}

/** Compares, when all is quiet, what was acknowledged with what every reader was told last and with what is stored. */
export function settle(
  ledger: Ledger,
  readers: readonly string[],
  stored: ReadonlyMap<string, number>,
): void {
  for (const [key, versions] of ledger.made) {
    skipped(versions).forEach((version) => {
      ledger.violations.push(`${key}: nobody made version ${version} of ${versions.size}`);
    });
    settleOne(ledger, key, { last: versions.size, readers, found: stored.get(key) ?? "gone" });
  }
  for (const key of stored.keys()) {
    if (!ledger.made.has(key)) ledger.violations.push(`${key}: stored, but nobody wrote it`);
  }
}

function skipped(versions: ReadonlyMap<number, string>): readonly number[] {
  return Array.from(versions, (_, i) => i + 1).filter((version) => !versions.has(version));
}

interface Known {
  readonly last: number;
  readonly readers: readonly string[];
  readonly found: State;
}

function settleOne(
  { removed, told, violations }: Ledger,
  key: string,
  { last, readers, found }: Known,
): void {
  const state: State = removed.has(key) ? "gone" : last;
  if (found !== state) violations.push(`${key}: the store has ${found}, acknowledged was ${state}`);
  for (const reader of readers) {
    const known = told.get(reader)?.get(key);
    if (known !== state) violations.push(`${key}: ${reader} was told ${known ?? "nothing"}, not ${state}`);
  }
}
