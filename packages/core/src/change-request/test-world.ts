import type { AuditEntry } from "../audit/types.ts";
import type { JsonObject } from "../json.ts";
import { type Outcome, unwrap } from "../problem.ts";
import { createRegistry } from "../registry/create-registry.ts";
import { operator } from "../registry/scopes.ts";
import type { Caller, RegistryConfig, RegistryView } from "../registry/types.ts";
import type { ExtensionDeclaration } from "../resource/context.ts";
import { farmer } from "../resource/extensions.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { Store } from "../store/port.ts";
import { shippedChangeRequestTypes } from "./shipped.ts";
import type { ChangeRequestType } from "./types.ts";

export const nobody = "01930000-0000-7000-8000-999999999999";
export const bound: Caller = { ...operator, clientId: "bound", legalBasis: "consent", organization: "NGO" };

interface Options {
  readonly extensions?: readonly ExtensionDeclaration[];
  readonly types?: readonly ChangeRequestType[];
  readonly store?: Store;
  /** The last id that was made, where another registry on the same store makes ids as well. */
  readonly from?: number;
  readonly config?: Partial<RegistryConfig>;
}

export function open({
  extensions = [farmer],
  types = shippedChangeRequestTypes,
  store = createMemoryStore(),
  from = 0,
  config = {},
}: Options = {}) {
  let ids = from;
  const reads: AuditEntry[] = [];
  const registry = createRegistry({
    store,
    newId: () => `01930000-0000-7000-8000-${String(++ids).padStart(12, "0")}`,
    clock: () => new Date("2026-11-21T08:00:00.000Z"),
    extensions,
    changeRequestTypes: types,
    onRead: (entry) => reads.push(entry),
    ...config,
  });
  return { registry, view: registry.as(operator), reads };
}

export const addFarmer = { type: "add_farmer", data: { name: "Ana Reyes", farmer: { farmSize: 2.5 } } };

export async function submitted(view: RegistryView, body: object): Promise<string> {
  return unwrap(await view.changeRequests.submit(body)).record.ext_id;
}

export async function applied(view: RegistryView, body: object) {
  const id = await submitted(view, body);
  unwrap(await view.changeRequests.approve(id));
  return unwrap(await view.changeRequests.apply(id)).record;
}

export function fieldsOf(outcome: Outcome<unknown>): readonly string[] {
  return outcome.ok ? [] : (outcome.problem.errors ?? []).map(({ field }) => field);
}

export const anyVersion = { ifMatch: "*" } as const;
export const own = (value: string) => [{ system: "urn:n", value }];
export const person = (value: string) => `Individual/urn:n|${value}`;

export function grantTo(subject: string) {
  return {
    type: "grant_consent",
    data: {
      subject: { reference: subject },
      grantee: { organization: "NGO" },
      scope: [{ resourceType: "all", fieldAccess: "all" }],
    },
  };
}

export async function people(view: RegistryView, ...values: readonly string[]) {
  for (const value of values) {
    const body = { type: "Individual", identifier: own(value), name: { family: value } };
    unwrap(await view.individuals.create(body));
  }
}

export async function rename(view: RegistryView, from: string, to: string) {
  unwrap(await view.individuals.patch(`urn:n|${from}`, { identifier: own(to) }, anyVersion));
}

export async function subjectShown(view: RegistryView, id: string) {
  const { data } = unwrap(await view.changeRequests.read(id));
  return (data?.subject as JsonObject | undefined)?.reference;
}
