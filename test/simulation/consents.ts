import {
  allScopes,
  type Caller,
  type JsonObject,
  type MemoryMedium,
  printReference,
  type RecordAddress,
  type RegistryView,
  type StoredDocument,
} from "@fieldroll/core";
import type { SeededRandom } from "@fieldroll/core/testing";
import type { SimulatedDevice } from "./device.ts";
import type { SimulatedServer } from "./server.ts";

/** The organization whose people see others only as far as these consent. */
const organization = "Aid";

/** A client of that organization. */
export function partner(clientId: string): Caller & { readonly legalBasis: string } {
  return { clientId, scopes: allScopes, organization, organizationType: "ngo", legalBasis: "consent" };
}

/** What consents show, and what was told while they did: what an answer, or a tablet, may have of a person. */
export interface ConsentWatch {
  /** Whether the people of a tablet see only as far as consents show. */
  binds(device: Pick<SimulatedDevice, "name">): boolean;
  /** The register as the one at a tablet sees it. */
  viewFor(device: Pick<SimulatedDevice, "name" | "person">): RegistryView;
  /** Answers a request as the server does, and looks into what it tells. */
  answer(request: Request, body?: string): Promise<Response>;
  /** Whether a record, by its key, was ever told to the organization. */
  wasTold(key: string): boolean;
  /**
   * Whether a person's ways to be reached, by the key, are hidden from the organization, or were at some time since the ledger had so
   * many lines: the edits of the simulation are among them.
   */
  wasHidden(key: string, since: number): boolean;
  /** I12: nobody stays on a tablet who was hidden from it before its last pull, but for work that is not sent. */
  check(device: SimulatedDevice): void;
  readonly violations: readonly string[];
}

/** Watches what a server tells of people to the tablets that consents bind. */
export function watchConsents(server: SimulatedServer, bound: readonly string[]): ConsentWatch {
  const violations: string[] = [];
  const told = new Set<string>();
  /** By the cursor at the end of a feed: who was told before, and hidden when it was given. */
  const goneAt = new Map<string, ReadonlySet<string>>();
  const binds = ({ name }: Pick<SimulatedDevice, "name">) => bound.includes(name);

  function lookInto(
    request: Request,
    { sent, text }: { readonly sent: string; readonly text: string },
  ): void {
    const shown = fieldsShown(server.medium);
    for (const secret of secretsIn(server.medium, shown)) {
      if (!text.includes(secret) || sent.includes(secret)) continue;
      const { pathname } = new URL(request.url);
      violations.push(`I12: ${request.method} ${pathname} told ${secret}, which no consent shows`);
    }
    if (new URL(request.url).pathname.endsWith("/$changes")) noteTold(JSON.parse(text) as Feed, shown);
  }

  function noteTold({ data, pagination }: Feed, shown: FieldsShown): void {
    for (const { key, change } of data) if (change === "upsert") told.add(key);
    if (pagination.has_more) return;
    const people = [...(server.medium.collections.get("Individual")?.keys() ?? [])];
    goneAt.set(pagination.next_cursor, new Set(people.filter((key) => told.has(key) && !shown.has(key))));
  }

  return {
    binds,
    viewFor: (device) => (binds(device) ? server.viewOf(partner(device.person)) : server.view),
    async answer(request, body = "") {
      const bearer = request.headers.get("authorization");
      const response = await server.answer(request, body);
      const isBound = bearer !== null && (await server.callerOf(bearer))?.organization === organization;
      if (isBound && response.ok) lookInto(request, { sent: body, text: await response.clone().text() });
      return response;
    },
    wasTold: (key) => told.has(key),
    wasHidden: (key, since) =>
      !["all", "telecom"].some((field) => fieldsShown(server.medium).get(key)?.has(field)) ||
      server.withdrawals.some((withdrawal) => withdrawal.key === key && withdrawal.line >= since),
    check(device) {
      if (!binds(device)) return;
      const gone = goneAt.get(cursorOf(device) ?? "") ?? new Set();
      // One who consents again comes with the answer to a write, too, before the next pull.
      const shown = fieldsShown(server.medium);
      const isHidden = (key: string) => gone.has(key) && !shown.has(key);
      const told = (key: string) => `Individual/${key}, who was hidden before its last pull`;
      for (const key of clean(device).filter(isHidden))
        violations.push(`I12: ${device.name} still holds ${told(key)}`);
      for (const { key, name } of namedBesideWork(device))
        if (isHidden(key)) violations.push(`I12: ${device.name} still shows ${name} of ${told(key)}`);
    },
    violations,
  };
}

interface Feed {
  readonly data: readonly { readonly key: string; readonly change: string }[];
  readonly pagination: { readonly next_cursor: string; readonly has_more: boolean };
}

/** How far a tablet has read the feed of everything; nothing while it is reading it anew. */
function cursorOf({ medium }: SimulatedDevice): string | undefined {
  const state = medium.collections.get("sync")?.get("feed:all")?.body as
    | { readonly cursor: string | null; readonly restarting: boolean }
    | undefined;
  return state?.restarting === false && state.cursor !== null ? state.cursor : undefined;
}

/** The people on a tablet with whom it has nothing unsent, by their keys at the server. */
function clean({ medium }: SimulatedDevice): readonly string[] {
  const people = [...(medium.collections.get("Individual")?.values() ?? [])];
  return people
    .filter(({ key }) => !medium.collections.get("outbox")?.has(`Individual/${key}`))
    .map(keyThere);
}

function keyThere({ key, claims }: StoredDocument): string {
  const alias = claims.find((claim) => claim.startsWith("server:"));
  return alias?.slice("server:".length) ?? key;
}

/** The part of a record's unsent work that says what was changed. */
interface OutboxEntry extends JsonObject {
  readonly base: JsonObject | null;
  readonly request: JsonObject | null;
}

/** What a tablet shows of the names of people with whom it has unsent work, other than that says; by their keys at the server. */
function namedBesideWork({
  medium,
}: SimulatedDevice): readonly { readonly key: string; readonly name: string }[] {
  return [...(medium.collections.get("Individual")?.values() ?? [])].flatMap((document) => {
    const work = medium.collections.get("outbox")?.get(`Individual/${document.key}`);
    const entry = work?.body as unknown as OutboxEntry | undefined;
    // While a request has no outcome, what is kept is more than what is handed out.
    if (!entry?.base || entry.request) return [];
    const { name } = (document.body as { readonly record: JsonObject }).record;
    const said = JSON.stringify([entry.edits ?? [], entry.comesTo ?? null]);
    const strange = textsIn(name).filter((text) => !said.includes(text));
    return strange.map((text) => ({ key: keyThere(document), name: text }));
  });
}

function textsIn(value: unknown): readonly string[] {
  return [...JSON.stringify(value ?? null).matchAll(/:("[^"]+")/g)].map(([, text = ""]) => text);
}

/** By a person's key, which fields consents show to the organization now: `all`, or some. */
type FieldsShown = ReadonlyMap<string, ReadonlySet<string>>;

interface ConsentBody {
  readonly record: {
    readonly status: string;
    readonly subject: { readonly reference: string };
    readonly scope: readonly { readonly fieldAccess: string; readonly fields?: readonly string[] }[];
  };
  readonly links: Readonly<Record<string, string>>;
}

function fieldsShown({ collections }: MemoryMedium): FieldsShown {
  const shown = new Map<string, Set<string>>();
  for (const { body } of collections.get("Consent")?.values() ?? []) {
    const { record, links } = body as unknown as ConsentBody;
    const key = links[record.subject.reference];
    if (record.status !== "given" || key === undefined) continue;
    const fields = shown.get(key) ?? new Set();
    for (const each of record.scope) for (const field of each.fields ?? [each.fieldAccess]) fields.add(field);
    shown.set(key, fields);
  }
  return shown;
}

/** Texts of people that nobody of the organization may be told now, because no consent shows any record that has them. */
function secretsIn({ collections }: MemoryMedium, shown: FieldsShown): ReadonlySet<string> {
  const secrets = new Set<string>();
  const open = new Set<string>();
  for (const { key, body } of collections.get("Individual")?.values() ?? []) {
    const { name, telecom } = (body as { readonly record: JsonObject }).record;
    const fields = shown.get(key);
    const add = (field: string, value: unknown) => {
      for (const text of textsIn(value))
        (fields?.has("all") || fields?.has(field) ? open : secrets).add(text);
    };
    add("name", name);
    add("telecom", (telecom as readonly JsonObject[] | undefined)?.map(({ value }) => ({ value })) ?? []);
  }
  for (const text of open) secrets.delete(text);
  return secrets;
}

/** Whether people's consents bind what some tablets see; `narrow`, where most are to no more than the name. */
export type Consents = boolean | "narrow";

/** What the office does about consents, and how often. */
export const consentDeeds = { "give a consent": 16, "withdraw a consent": 12 } as const;

/**
 * Records that somebody consents to what the organization sees of them, or no more. What the registry refuses is no matter.
 *
 * @returns the key of who withdrew a consent
 */
export async function changeConsents(
  what: keyof typeof consentDeeds,
  { view, medium }: Pick<SimulatedServer, "view" | "medium">,
  { random, narrow }: { readonly random: SeededRandom; readonly narrow: boolean },
): Promise<string | undefined> {
  if (what === "withdraw a consent") {
    const given = [...(medium.collections.get("Consent")?.values() ?? [])].filter(
      ({ body }) => (body as unknown as ConsentBody).record.status === "given",
    );
    if (given.length === 0) return undefined;
    const { key, body } = random.pick(given);
    await view.consents.revoke(key);
    const { record, links } = body as unknown as ConsentBody;
    return links[record.subject.reference];
  }
  const people = await view.individuals.search({ limit: "100" });
  const found = people.ok && people.value.data.length > 0 ? random.pick(people.value.data) : undefined;
  const [identifier] = found?.identifier ?? [];
  if (identifier) await consent(view, identifier, random.chance(narrow ? 0.8 : 0.2) ? ["name"] : []);
  return undefined;
}

/** Lets the organization see a person: all of them, or some fields, and their enrollments. */
export async function consent(
  view: RegistryView,
  identifier: RecordAddress,
  fields: readonly string[] = [],
): Promise<void> {
  // Of every second one that is shown in part, the version is shown too: which part is hidden says nothing of that.
  const isVersioned = identifier.value.charCodeAt(identifier.value.length - 1) % 2 === 0;
  const shown = isVersioned ? [...fields, "meta"] : fields;
  const access = fields.length > 0 ? { fieldAccess: "custom", fields: shown } : { fieldAccess: "all" };
  await view.consents.grant({
    subject: { reference: printReference("Individual", identifier) },
    grantee: { organization },
    scope: [
      { resourceType: "Individual", ...access },
      { resourceType: "ProgramMembership", fieldAccess: "all" },
    ],
  });
}
