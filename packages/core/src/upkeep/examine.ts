import { forgottenUntil } from "../audit/forgetting.ts";
import type { Settings } from "../registry/settings.ts";
import { type StoredDocument, StoreError } from "../store/port.ts";
import { declaredFaults, referenceFaults } from "./compare.ts";
import { type Fault, type Finding, findingOf } from "./finding.ts";
import { declaredIn, type KeptKind, type KeptReference, type Targets } from "./kept-kind.ts";
import { loadTargets } from "./targets.ts";
import { loadTrails, trailFaults } from "./trail-check.ts";

/** Looks at documents of one kind, and at what they lead to. Resolves to what is wrong with each, in their order. */
export async function examine(
  settings: Settings,
  kind: KeptKind,
  documents: readonly StoredDocument[],
): Promise<readonly (readonly Finding[])[]> {
  const references = documents.map((document) => readable(() => kind.references?.(document) ?? []) ?? []);
  const targets = await loadTargets(settings, references.flat());
  const historyOf = await histories(settings, kind, documents);
  const found: (readonly Finding[])[] = [];
  for (const [i, document] of documents.entries()) {
    const faults = [
      ...ownFaults(kind, document, { references: references[i] ?? [], targets }),
      ...historyOf(document),
      ...(await further(kind, document)),
    ];
    found.push(faults.map((fault) => findingOf(document, fault)));
  }
  return found;
}

interface Around {
  readonly references: readonly KeptReference[];
  readonly targets: Targets;
}

function ownFaults(
  kind: KeptKind,
  document: StoredDocument,
  { references, targets }: Around,
): readonly Fault[] {
  const faults = readable(() => [
    ...(kind.bodyFaults?.(document) ?? []).map((message): Fault => ({ kind: "body", message })),
    ...declaredFaults(declaredIn(document), kind.declared(document, targets)),
    ...referenceFaults(references, targets),
  ]);
  return faults ?? [{ kind: "body", message: `it is no body of ${kind.collection}` }];
}

async function histories(
  settings: Settings,
  kind: KeptKind,
  documents: readonly StoredDocument[],
): Promise<(document: StoredDocument) => readonly Fault[]> {
  const named = new Map(
    documents.flatMap((document) => {
      const trailed = readable(() => kind.trail?.(document));
      return trailed ? [[document.key, trailed] as const] : [];
    }),
  );
  if (named.size === 0 || !settings.policies.audit) return () => [];
  const records = [...named.values()].map(({ record }) => record);
  const trails = await loadTrails(settings.store, records, { erases: kind.erases === true });
  const kept = (await forgottenUntil(settings)).changes;
  return ({ key }) => {
    const trailed = named.get(key);
    return trailed ? trailFaults(trailed, trails.get(trailed.record) ?? [], kept) : [];
  };
}

async function further(kind: KeptKind, document: StoredDocument): Promise<readonly Fault[]> {
  try {
    return (await kind.further?.(document)) ?? [];
  } catch (error) {
    if (error instanceof StoreError) throw error;
    return [{ kind: "body", message: `it is no body of ${kind.collection}` }];
  }
}

/** What can be told of a body; nothing where it is so damaged that it can't be read. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
