import { auditCollection, auditEntries } from "../audit/document.ts";
import type { AuditEntry } from "../audit/types.ts";
import type { Store } from "../store/port.ts";
import type { Fault } from "./finding.ts";
import type { Trailed } from "./kept-kind.ts";
import { documentPages } from "./pages.ts";

/** What the trail tells of one version of a record. */
interface Told {
  readonly version: number;
  readonly at: string;
  readonly creates: boolean;
}

/** What the trail tells of each record, by its name there. */
export type Trails = ReadonlyMap<string, readonly Told[]>;

/**
 * Reads what the trail tells of the changes of some records.
 *
 * @param erases whether entries count that the index takes for reads
 */
export async function loadTrails(
  store: Store,
  records: readonly string[],
  { erases }: { readonly erases: boolean },
): Promise<Trails> {
  const told = new Map<string, Told[]>(records.map((record) => [record, []]));
  const changes = erases ? [] : [{ index: "kind", anyOf: ["change"] }];
  const where = [{ index: "record", anyOf: records }, ...changes];
  for await (const page of documentPages(store, { collection: auditCollection, where })) {
    for (const { records: named, versionId, action, at } of page.flatMap(auditEntries)) {
      if (versionId === undefined) continue;
      told.get(named[0] ?? "")?.push({ version: Number(versionId), at, creates: creating.has(action) });
    }
  }
  return told;
}

const creating: ReadonlySet<AuditEntry["action"]> = new Set(["create", "grant"] as const);

/**
 * Whether the trail leads from a record's first version to its present one without a gap.
 *
 * @param kept the instant after which entries of changes are kept, where older ones were forgotten: what is left of those, such as that something
 *   was erased, leads nowhere
 */
export function trailFaults(
  { version, at }: Trailed,
  told: readonly Told[],
  kept: string | undefined,
): readonly Fault[] {
  const fault = (message: string): readonly Fault[] => [{ kind: "history", message }];
  const sorted = told
    .filter((one) => kept === undefined || one.at > kept)
    .sort((a, b) => a.version - b.version);
  const [oldest, newest] = [sorted[0], sorted.at(-1)];
  if (!oldest || !newest) {
    const forgotten = kept !== undefined && (at === undefined || at <= kept);
    return forgotten ? [] : fault(`no audit entry tells of any of its versions; it is at ${version}`);
  }
  const gap = sorted.find((one, i) => i > 0 && one.version !== (sorted[i - 1]?.version ?? 0) + 1);
  return [
    ...(newest.version === version
      ? []
      : fault(`its newest audit entry tells version ${newest.version}; it is at ${version}`)),
    ...(gap ? fault(`the audit entries before that of version ${gap.version} do not lead to it`) : []),
    ...(oldest.creates || kept !== undefined
      ? []
      : fault(`no audit entry tells of its versions before ${oldest.version}`)),
  ];
}
