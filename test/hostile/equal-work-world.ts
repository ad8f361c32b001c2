import { crc32, deflateSync } from "node:zlib";
import { createRegistry, farmer, operator, type Registry, type Store, unwrap } from "@fieldroll/core";
import { createClientDirectory, createHandler, createIssuer, type Handler } from "@fieldroll/server";
import { scryptSecrets } from "@fieldroll/server/node";
import { v7 } from "uuid";

/** One person and all that belongs to it, by the names that requests use: there and hidden, or not there at all. */
export interface Names {
  readonly person: string;
  readonly group: string;
  readonly membership: string;
  /** The `ext_id` of the registrant, of an entitlement, a change request, a draft of one, and the id of a consent. */
  readonly registrant: string;
  readonly entitlement: string;
  readonly request: string;
  readonly draft: string;
  readonly consent: string;
}

/** A server on a store, and a caller whom no consent shows the hidden ones. */
export interface EqualWorld {
  readonly handle: Handler;
  /** The `ext_id` of a program. */
  readonly program: string;
  readonly authorization: string;
  readonly hidden: readonly Names[];
  readonly unknown: readonly Names[];
}

export const origin = "http://registry.test";
export const systems = { person: "urn:gov:id", group: "urn:service:group", membership: "urn:stay" } as const;

const everything = ["registry", "program", "entitlement"].flatMap((part) => [
  `${part}:read`,
  `${part}:write`,
]);
const clients = [
  {
    id: "partner",
    secret: "partner-secret",
    scopes: everything,
    organization: "Helpers",
    legalBasis: "consent",
  },
  {
    id: "ministry",
    secret: "other-secret",
    scopes: everything,
    organization: "Ministry",
    legalBasis: "public_task",
  },
];

/** Opens a registry in which each hidden person is in a household, has an enrollment, and gave a consent to somebody else. */
export async function openEqualWorld(
  store: Store,
  { people, photo }: { readonly people: number; readonly photo: boolean },
): Promise<EqualWorld> {
  const clock = () => new Date("2026-03-01T08:00:00Z");
  const registry = createRegistry({ store, clock, newId: () => v7(), extensions: [farmer] });
  const secrets = scryptSecrets({ cost: 2 });
  const issuer = createIssuer({
    store,
    clients: await createClientDirectory(clients, secrets),
    secrets,
    clock,
  });
  const handle = createHandler({ registry, issuer, clock });
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: "partner",
    client_secret: "partner-secret",
  });
  const token = await handle(new Request(`${origin}/oauth2/token`, { method: "POST", body: form }));
  const { access_token } = (await token.json()) as { access_token: string };
  const { program, cycle } = await programOf(registry);
  await seeShared(registry);
  const picture = photo ? largePhoto() : undefined;
  const hidden: Names[] = [];
  const unknown: Names[] = [];
  for (let n = 0; n < people; n++) {
    // Ids tell when they were made: those of what is not there are of the same time.
    unknown.push(namesOf(`unk-${digits(n)}`, () => v7()));
    hidden.push(await hide(registry, { value: `hid-${digits(n)}`, cycle, picture }));
  }
  return { handle, program, authorization: `Bearer ${access_token}`, hidden, unknown };
}

function digits(n: number): string {
  return String(n).padStart(4, "0");
}

function namesOf(value: string, id: () => string): Names {
  const [registrant, entitlement, request, draft, consent] = [id(), id(), id(), id(), id()];
  const own = { person: `${systems.person}|${value}`, group: `${systems.group}|${value}` };
  return {
    ...own,
    membership: `${systems.membership}|${value}`,
    registrant,
    entitlement,
    request,
    draft,
    consent,
  };
}

async function programOf(registry: Registry) {
  const view = registry.as(operator);
  const identifier = [{ system: "urn:service:program", value: "cash" }];
  const days = { start_date: "2026-03-01", end_date: "2026-03-31" };
  unwrap(await view.programs.create({ type: "Program", identifier, name: "Cash", targetType: "individual" }));
  const program = unwrap(await view.programDesk.list()).data[0]?.ext_id ?? "";
  const march = { program_ext_id: program, name: "March", sequence: 1, state: "approved", ...days };
  return { program, cycle: unwrap(await view.cycles.create(march)).ext_id };
}

/** What the caller sees: a group into which it may want to take somebody. */
async function seeShared(registry: Registry): Promise<void> {
  const view = registry.as(operator);
  unwrap(await view.individuals.create(personBody("seen")));
  unwrap(await view.groups.create(groupBody("seen", ["seen"])));
  const scope = [{ resourceType: "all", fieldAccess: "all" }];
  const subject = { reference: `Group/${systems.group}|seen` };
  unwrap(await view.consents.grant({ subject, grantee: { organization: "Helpers" }, scope }));
}

interface Hiding {
  readonly value: string;
  readonly cycle: string;
  readonly picture: string | undefined;
}

async function hide(registry: Registry, { value, cycle, picture }: Hiding): Promise<Names> {
  const view = registry.as({ ...operator, clientId: "ministry" });
  const created = await view.individuals.create(personBody(value, picture));
  unwrap(created);
  unwrap(await view.groups.create(groupBody(value, [value])));
  const reference = { reference: `Individual/${systems.person}|${value}` };
  const place = { program: { reference: "Program/urn:service:program|cash" }, beneficiary: reference };
  const identifier = [{ system: systems.membership, value }];
  unwrap(
    await view.memberships.create({ type: "ProgramMembership", identifier, ...place, status: "enrolled" }),
  );
  const scope = [{ resourceType: "all", fieldAccess: "all" }];
  const terms = { subject: reference, grantee: { organization: "Others" }, scope, evidence: "x".repeat(900) };
  const consent = unwrap(await view.consents.grant(terms)).id;
  const registrant = unwrap(await view.individuals.disclose(`${systems.person}|${value}`)).key ?? "";
  const amount = { value: "10.00", currency: "PHP" };
  const owed = { cycle, registrant_ext_id: registrant, amount, state: "pending_validation" };
  const entitlement = unwrap(await view.entitlements.create(owed)).ext_id;
  const asked = { type: "edit_farmer", data: { registrant_ext_id: registrant, farmer: { farmSize: 2 } } };
  const request = unwrap(await view.changeRequests.submit(asked)).record.ext_id;
  const draft = unwrap(await view.changeRequests.submit({ ...asked, draft: true })).record.ext_id;
  return { ...namesOf(value, () => ""), registrant, entitlement, request, draft, consent };
}

function personBody(value: string, photo?: string) {
  const identifier = [{ system: systems.person, value }];
  const address = [{ type: "physical", city: "Imus", state: "Cavite", country: "PH" }];
  return {
    type: "Individual",
    identifier,
    name: { family: "Reyes", given: "Ana" },
    address,
    ...(photo && { photo }),
  };
}

export function groupBody(value: string, members: readonly string[]) {
  const member = members.map((one) => ({ entity: { reference: `Individual/${systems.person}|${one}` } }));
  const identifier = [{ system: systems.group, value }];
  return { type: "Group", identifier, groupType: "household", name: "Reyes", member };
}

/** A PNG image that takes nearly the longest photo as text: 5 MiB. */
function largePhoto(): string {
  const [width, height] = [1_250, 1_000];
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = Buffer.alloc(height * (1 + width * 3));
  const data = deflateSync(pixels, { level: 0 });
  const parts = [chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))];
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return `data:image/png;base64,${Buffer.concat([signature, ...parts]).toString("base64")}`;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
