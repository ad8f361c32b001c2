import { operator, type Store, unwrap } from "@fieldroll/core";
import { createClientDirectory } from "@fieldroll/server";
import { scryptSecrets } from "@fieldroll/server/node";
import {
  type Answer,
  answerOf,
  type Call,
  origin,
  registrations,
  type Service,
  startService,
} from "./fixture.ts";

const scopes = ["registry", "program", "entitlement"].flatMap((part) => [`${part}:read`, `${part}:write`]);

/** Bound by consent, with every scope. */
const aid = { id: "aid", secret: "aid-secret", scopes, organization: "Aid", legalBasis: "consent" };

export const nobody = "01930000-0000-7000-8000-999999999999";
export const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** A register with a program, a cycle and two people, Ana and Ben. */
export interface World extends Service {
  readonly program: string;
  readonly cycle: string;
  readonly ana: string;
  readonly ben: string;
  entitlement(more?: object): Promise<string>;
  /** As {@link Service.call}, by the client that consents bind. */
  callAid(call: Call): Promise<Answer>;
  /** Ana gives a consent to the organization of that client. */
  consent(subject: string, scope: object): Promise<string>;
}

export async function openWorld(open: () => Promise<Store>): Promise<World> {
  const secrets = scryptSecrets({ cost: 2 });
  const clients = await createClientDirectory([...registrations, aid], secrets);
  const service = await startService({ open, clients });
  const view = service.registry.as(operator);
  const cash = { type: "Program", name: "Cash", targetType: "individual", description: "For the season" };
  const identifier = [{ system: "urn:service:program", value: "cash" }];
  unwrap(
    await view.programs.create({ ...cash, identifier, period: { start: "2026-01-01", end: "2026-12-31" } }),
  );
  const program = unwrap(await view.programDesk.list()).data[0]?.ext_id ?? "";
  const days = { start_date: "2026-03-01", end_date: "2026-03-31" };
  const first = { program_ext_id: program, name: "March", sequence: 1, state: "approved", ...days };
  const cycle = unwrap(await view.cycles.create(first)).ext_id;
  const people = await Promise.all(
    ["Ana Reyes", "Ben Cruz"].map(
      async (name) => unwrap(await view.registrants.create({ name })).record.ext_id,
    ),
  );
  const [ana = "", ben = ""] = people;
  let erns = 0;
  const entitlement = async (more: object = {}) => {
    const amount = { value: "1200.00", currency: "PHP" };
    const ern = `ERN-${++erns}`;
    const body = { cycle, registrant_ext_id: ana, amount, ern, state: "pending_validation", ...more };
    return unwrap(await view.entitlements.create(body)).ext_id;
  };
  let token: Promise<string> | undefined;
  const callAid = async (call: Call) => {
    token ??= tokenOfAid(service);
    return service.call({
      ...call,
      as: null,
      headers: { ...call.headers, Authorization: `Bearer ${await token}` },
    });
  };
  const consent = async (person: string, scope: object) => {
    const subject = { reference: `Individual/urn:service:registrant|${person}` };
    const terms = { subject, grantee: { organization: "Aid" }, scope: [scope] };
    return unwrap(await view.consents.grant(terms)).id;
  };
  return { ...service, program, cycle, ana, ben, entitlement, callAid, consent };
}

async function tokenOfAid({ handle }: Service): Promise<string> {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: aid.id,
    client_secret: aid.secret,
  });
  const request = new Request(`${origin}/oauth2/token`, { method: "POST", body: form });
  return (await answerOf(await handle(request))).body.access_token;
}
