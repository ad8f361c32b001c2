import { createRegistry, operator } from "@fieldroll/core";
import { createClientDirectory, createHandler, createIssuer, createV1 } from "@fieldroll/server";
import { scryptSecrets } from "@fieldroll/server/node";
import { addProgram, answerOf, origin, person, program, type stores } from "./fixture.ts";

/** Where version 1 is. */
export const root = `${origin}/api/v1/g2p`;
const scopes = [
  ...["registry:read", "registry:write", "program:read", "program:write"],
  ...["entitlement:read", "entitlement:write"],
];
const clients = [
  { id: "old", secret: "old-secret", scopes, legalBasis: "public_task" },
  { id: "reader", secret: "reader-secret", scopes: ["registry:read"], legalBasis: "public_task" },
  { id: "ngo", secret: "ngo-secret", scopes: ["registry:read"], organization: "Hope" },
];
/** A client's id and secret, by HTTP Basic. */
export const basic = (id: string, secret = `${id}-secret`) => ({
  Authorization: `Basic ${btoa(`${id}:${secret}`)}`,
});

/** A request to version 1. */
export interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly as?: string | null;
  readonly headers?: Record<string, string>;
}

/** A registry whose version 1 answers. */
export async function start(open: (typeof stores)[number][1]) {
  const store = await open();
  let verified = 0;
  const time = { now: new Date("2026-03-01T08:00:00Z") };
  const clock = () => time.now;
  const inner = scryptSecrets({ cost: 2 });
  const secrets = {
    ...inner,
    verify: (secret: string, hash: string) => {
      verified += 1;
      return inner.verify(secret, hash);
    },
  };
  const directory = await createClientDirectory(clients, secrets);
  const disabled = new Set<string>();
  const tokensNotBefore = new Map<string, string>();
  const find = async (id: string) => {
    const found = await directory.find(id);
    const ended = tokensNotBefore.get(id);
    return found && { ...found, active: !disabled.has(id), ...(ended && { tokensNotBefore: ended }) };
  };
  const registry = createRegistry({ store, clock, newId: () => crypto.randomUUID() });
  const issuer = createIssuer({ store, clients: { find }, secrets, clock });
  const handle = createHandler({ registry, issuer, clock, v1: "warn", formerVersion: createV1(store) });
  const call = async (path: string, { method = "GET", body, as = "old", headers = {} }: Asked = {}) => {
    const sent = { ...(as === null ? {} : basic(as)), "Content-Type": "application/json", ...headers };
    const payload = body === undefined ? {} : { body: JSON.stringify(body) };
    return answerOf(await handle(new Request(`${root}/${path}`, { method, headers: sent, ...payload })));
  };
  return { store, registry, call, disabled, tokensNotBefore, time, verified: () => verified };
}

/** Gives it a person, two programs, a cycle and an entitlement that waits. */
export async function withBenefits({
  registry,
  store,
}: Pick<Awaited<ReturnType<typeof start>>, "registry" | "store">) {
  const view = registry.as(operator);
  await addProgram(registry);
  const pension = {
    ...program,
    identifier: [{ system: "urn:p", value: "pension" }],
    name: "Pension",
    targetType: "individual",
  };
  await view.programs.create(pension);
  await view.individuals.create(person("1"));
  const [cash] = await store.resolve(["Program/urn:service:program|cash"]);
  await view.programDesk.setFund(cash?.key ?? "", { value: "5000.00", currency: "PHP" });
  const cycle = await view.cycles.create({
    program: "Program/urn:service:program|cash",
    ...{ name: "March", sequence: 1, start_date: "2026-03-01", end_date: "2026-03-31", state: "approved" },
  });
  await view.entitlements.create({
    cycle: cycle.ok ? cycle.value.ext_id : "",
    beneficiary: "Individual/urn:gov:ph:nid|1",
    amount: { value: "500.00", currency: "PHP" },
    state: "pending_validation",
  });
}
