import { printReference } from "@fieldroll/core";
import { arbitraryGroup, arbitraryIndividual, arbitraryMembership, perturb } from "@fieldroll/core/testing";
import fc from "fast-check";
import type { Call } from "../contract/fixture.ts";

/** A request, and how many pages of its answer are followed. */
export interface Asked extends Omit<Call, "as"> {
  readonly pages?: number;
}

/** Which identifiers requests name. */
export interface Pools {
  /** Values of people's identifiers that reads, writes and references name. */
  readonly people: readonly string[];
  readonly groups: readonly string[];
  readonly memberships: readonly string[];
  /** Values that creates take. */
  readonly fresh: readonly string[];
  /** The value of a person's identifier that is taken in any case: beside it, a create may name any other. */
  readonly taken: string;
  /** Internal keys that registry-style addresses name. */
  readonly keys: readonly string[];
  readonly consents: readonly string[];
}

export const systems = {
  Individual: "urn:gov:ph:nid",
  Group: "urn:service:group",
  ProgramMembership: "urn:m",
} as const;
export const programs = ["Program/urn:service:program|cash", "Program/urn:service:program|people"] as const;

type Type = keyof typeof systems;

/** A reference as it is written: to a value with percent signs, its twin would be meant otherwise. */
export const named = (type: Type, value: string) => printReference(type, { system: systems[type], value });

const tags = fc.constantFrom("*", '"1"', '"1", "2"', undefined);
const elements = fc.constantFrom(
  "",
  "_elements=name",
  "_elements=name.family,birthDate",
  "_elements=meta",
  "_extensions=*",
  "_extensions=farmer",
);
const words = fc.constantFrom("ana", "jos", "x", "de la", "imus", "reyes", "a");
const dates = fc.constantFrom("1990-01-01", "ge1900-01-01", "lt2000-01-01", "ne1850-01-01", "2026-03-01");

/** Search parameters by type: contract section 4. */
function parameters(type: string, pools: Pools): fc.Arbitrary<readonly string[]> {
  const common = [
    fc.constantFrom("active=true", "active=false", "active=any"),
    fc
      .constantFrom(...pools.people, ...pools.groups)
      .map((value) => `identifier=${encodeURIComponent(value)}`),
    dates.map((date) => `_lastUpdated=${date}`),
    fc
      .constantFrom("name", "-name", "_lastUpdated", "identifier", "-identifier")
      .map((name) => `_sort=${name}`),
    elements.filter((text) => text !== ""),
    fc.integer({ min: 1, max: 3 }).map((limit) => `limit=${limit}`),
    fc.constant("_total=accurate"),
  ];
  const person = fc
    .constantFrom(...pools.people)
    .map((value) => encodeURIComponent(named("Individual", value)));
  const group = fc
    .constantFrom(...pools.groups)
    .map((value) => encodeURIComponent(`${systems.Group}|${value}`));
  const own: Readonly<Record<string, readonly fc.Arbitrary<string>[]>> = {
    Individual: [
      words.map((word) => `name=${word}`),
      words.map((word) => `name:exact=${word}`),
      dates.map((date) => `birthdate=${date}`),
      fc.constantFrom("1", "2", "1,2").map((code) => `gender=${code}`),
      words.map((word) => `address=${word}`),
      fc.constantFrom("%2B639171234567", "ana@example.org").map((value) => `telecom=${value}`),
      group.map((address) => `group=${address}`),
      fc.constantFrom("group=none", "role=head", "role=child,spouse", "_sort=birthdate", "_sort=-birthdate"),
    ],
    Group: [
      words.map((word) => `name=${word}`),
      words.map((word) => `address=${word}`),
      fc.constantFrom("groupType=household", "groupType=household,family"),
      person.map((reference) => `member=${reference}`),
    ],
    ProgramMembership: [
      person.map((reference) => `beneficiary=${reference}`),
      fc.constantFrom(...programs).map((reference) => `program=${encodeURIComponent(reference)}`),
      fc.constantFrom("status=enrolled", "status=draft,paused"),
      dates.map((date) => `enrollmentDate=${date}`),
      fc.constant("_sort=enrollmentDate"),
    ],
    Program: [fc.constantFrom("status=active", "status=ended", "name=cash", "targetType=group")],
  };
  const usable =
    type === "Program" || type === "ProgramMembership" ? common.filter((_, i) => i !== 3) : common;
  return fc
    .array(fc.oneof(...usable, ...(own[type] ?? [])), { maxLength: 4 })
    .map((all) => [...new Map(all.map((text) => [text.split("=")[0], text])).values()]);
}

function searches(pools: Pools): fc.Arbitrary<Asked> {
  return fc
    .constantFrom("Individual", "Group", "ProgramMembership", "Program")
    .chain((type) =>
      parameters(type, pools).map((list) => ({ path: `/${type}?${list.join("&")}`, pages: 4 })),
    );
}

function feeds(): fc.Arbitrary<Asked> {
  return fc
    .tuple(
      fc.constantFrom("all", "area:PH", "area:PH/Cavite", "area:PH/Cavite/Imus", "programs"),
      fc.integer({ min: 1, max: 5 }),
    )
    .map(([feed, limit]) => ({
      path: `/$changes?feed=${encodeURIComponent(feed)}&limit=${limit}`,
      pages: 12,
    }));
}

function addresses(pools: Pools): fc.Arbitrary<readonly [Type, string]> {
  const of = (type: Type, values: readonly string[]) =>
    fc.constantFrom(...values).map((value) => [type, value] as const);
  return fc.oneof(
    { weight: 3, arbitrary: of("Individual", pools.people) },
    of("Group", pools.groups),
    of("ProgramMembership", pools.memberships),
  );
}

const pathTo = (type: Type, value: string) => `/${type}/${systems[type]}|${encodeURIComponent(value)}`;
const identified = (type: Type, value: string) => ({ identifier: [{ system: systems[type], value }] });

function reads(pools: Pools): fc.Arbitrary<Asked> {
  return fc
    .tuple(addresses(pools), elements, fc.constantFrom("", "", "/$history"), tags)
    .map(([[type, value], query, operation, tag]) => ({
      path: `${pathTo(type, value)}${operation || (query && `?${query}`)}`,
      headers: tag === undefined ? {} : { "If-None-Match": tag },
    }));
}

function bodies(type: Type, pools: Pools): fc.Arbitrary<Record<string, unknown>> {
  const people = pools.people.map((value) => named("Individual", value));
  if (type === "Individual") {
    const farmer = fc.record({ farmSize: fc.nat(9) }, { requiredKeys: [] });
    return fc
      .tuple(arbitraryIndividual, fc.option(farmer, { nil: undefined }))
      .map(([body, extension]) => ({ ...body, ...(extension && { extension: { farmer: extension } }) }));
  }
  if (type === "Group") return arbitraryGroup(people);
  const groups = pools.groups.map((value) => named("Group", value));
  return fc
    .tuple(fc.constantFrom(...programs), fc.constantFrom(...people, ...groups))
    .chain(([program, beneficiary]) => arbitraryMembership({ program, beneficiary }));
}

const types: fc.Arbitrary<Type> = fc.constantFrom("Individual", "Individual", "Group", "ProgramMembership");

function creates(pools: Pools): fc.Arbitrary<Asked> {
  return fc
    .tuple(types, fc.constantFrom(...pools.fresh), fc.constantFrom(undefined, "k1", "k2"))
    .chain(([type, value, key]) =>
      bodies(type, pools).map((body) => ({
        method: "POST",
        path: `/${type}`,
        body: { ...body, ...identified(type, value) },
        headers: key === undefined ? {} : { "Idempotency-Key": key },
      })),
    );
}

/** Creates of two identifiers, one of which is taken: which of them, and whether the other one is as well, is not told. */
function duplicates({ people, taken }: Pools): fc.Arbitrary<Asked> {
  return fc
    .tuple(fc.constantFrom(...people), fc.boolean(), arbitraryIndividual)
    .map(([value, last, body]) => {
      const [own = [], other = []] = [value, taken].map((one) => identified("Individual", one).identifier);
      const identifier = value === taken ? own : last ? [...own, ...other] : [...other, ...own];
      return { method: "POST", path: "/Individual", body: { ...body, identifier } };
    });
}

/** Changes of what a restricted caller does not change. */
function restricted(pools: Pools): fc.Arbitrary<Asked> {
  const value = fc.constantFrom(...pools.people, ...pools.fresh);
  return fc
    .tuple(addresses(pools), value, fc.constantFrom("identifier", "active"))
    .map(([[type, at], to, member]) => ({
      method: "PATCH",
      path: pathTo(type, at),
      body: member === "active" ? { active: false } : identified(type, to),
      headers: { "If-Match": "*" },
    }));
}

/** Requests to record a consent of somebody whom the caller may not know. */
function consentRequests(pools: Pools): fc.Arbitrary<Asked> {
  return fc.constantFrom(...pools.people).map((value) => ({
    method: "POST",
    path: "/change_request",
    body: {
      type: "grant_consent",
      data: {
        subject: { reference: `Individual/${systems.Individual}|${value}` },
        grantee: { organization: "Others" },
        scope: [{ resourceType: "all", fieldAccess: "basic" }],
        evidence: "Signed",
      },
    },
  }));
}

function changes(pools: Pools): fc.Arbitrary<Asked> {
  return fc
    .tuple(addresses(pools), tags, fc.constantFrom("PUT", "PATCH"))
    .chain(([[type, value], tag, method]) =>
      bodies(type, pools)
        .chain((body) => perturb(body as never))
        .chain((body: Record<string, unknown>) =>
          fc.subarray(Object.keys(body)).map((names) => patchOf(body, names, method)),
        )
        .map((body) => ({
          method,
          path: pathTo(type, value),
          body: method === "PUT" ? { ...body, ...identified(type, value) } : body,
          headers: tag === undefined ? {} : { "If-Match": tag },
        })),
    );
}

/** A few of the members, without what identifies; or all. */
function patchOf(
  body: Record<string, unknown>,
  names: readonly string[],
  method: string,
): Record<string, unknown> {
  if (method === "PUT") return body;
  const kept = names.filter((name) => name !== "type" && name !== "identifier");
  return Object.fromEntries(kept.map((name) => [name, body[name]]));
}

function memberOperations(pools: Pools): fc.Arbitrary<Asked> {
  const group = fc.constantFrom(...pools.groups);
  const malformed = ["a", "/|a", "", "Individual/", "Individual/x", "Program/urn:x|1"];
  const entity = fc
    .constantFrom(...pools.people.map((value) => named("Individual", value)), ...malformed)
    .map((text) => ({ reference: text }));
  const reference = group.map((value) => ({ reference: named("Group", value) }));
  const post = (path: string, body: unknown): Asked => ({ method: "POST", path, body });
  return fc.oneof(
    fc
      .tuple(group, entity)
      .map(([value, one]) => post(`${pathTo("Group", value)}/$add-member`, { entity: one })),
    fc
      .tuple(group, entity)
      .map(([value, one]) =>
        post(`${pathTo("Group", value)}/$remove-member`, { entity: one, reason: "moved" }),
      ),
    fc.tuple(reference, reference).map(([source, target]) => post("/Group/$merge", { source, target })),
    fc.tuple(group, entity, fc.constantFrom(...pools.fresh)).map(([value, one, fresh]) =>
      post(`${pathTo("Group", value)}/$split`, {
        ...identified("Group", fresh),
        name: "New",
        members: [one],
        head: one,
      }),
    ),
  );
}

function registryStyle(pools: Pools): fc.Arbitrary<Asked> {
  const key = fc.constantFrom(...pools.keys);
  const registrant = fc.record({
    name: fc.constantFrom("Ana Reyes", "José"),
    birthdate: fc.constantFrom("1990-01-01", "2000-02-29"),
    gender: fc.constantFrom("male", "female", "unknown", "not_applicable"),
  });
  return fc.oneof(
    fc
      .constantFrom("/registry/registrant?limit=2", "/programs", "/entitlements")
      .map((path) => ({ path, pages: 4 })),
    key.map((id) => ({ path: `/registry/registrant/${id}` })),
    fc
      .tuple(key, registrant)
      .map(([id, body]) => ({ method: "PUT", path: `/registry/registrant/${id}`, body })),
    fc.tuple(key, key).map(([id, other]) => ({
      method: "POST",
      path: `/programs/${id}/enroll`,
      body: { registrant_ext_id: other },
    })),
    key.map((id) => ({ path: `/programs/${id}/cycles` })),
  );
}

function consents(pools: Pools): fc.Arbitrary<Asked> {
  return fc.constantFrom(...pools.consents).map((id) => ({ path: `/Consent/${id}` }));
}

/** One request of any kind but bundles. */
function single(pools: Pools): fc.Arbitrary<Asked> {
  return fc.oneof(
    { weight: 3, arbitrary: reads(pools) },
    { weight: 4, arbitrary: searches(pools) },
    { weight: 2, arbitrary: feeds() },
    { weight: 2, arbitrary: creates(pools) },
    { weight: 1, arbitrary: duplicates(pools) },
    { weight: 1, arbitrary: restricted(pools) },
    { weight: 1, arbitrary: consentRequests(pools) },
    { weight: 3, arbitrary: changes(pools) },
    { weight: 2, arbitrary: memberOperations(pools) },
    { weight: 1, arbitrary: registryStyle(pools) },
    { weight: 1, arbitrary: consents(pools) },
  );
}

function bundles(pools: Pools): fc.Arbitrary<Asked> {
  const entry = fc
    .oneof(reads(pools), creates(pools), changes(pools), duplicates(pools), restricted(pools))
    .map((asked) => ({
      request: {
        method: asked.method ?? "GET",
        url: asked.path.slice(1),
        ...(asked.headers?.["If-Match"] ? { ifMatch: asked.headers["If-Match"] } : {}),
      },
      ...(asked.body === undefined ? {} : { resource: asked.body }),
    }));
  return fc
    .tuple(fc.constantFrom("batch", "transaction"), fc.array(entry, { minLength: 1, maxLength: 3 }))
    .map(([type, entries]) => ({
      method: "POST",
      path: "/$batch",
      body: { resourceType: "Bundle", type, entry: entries },
    }));
}

/** One request that a well-meaning client may send, refused or not. */
export function arbitraryRequest(pools: Pools): fc.Arbitrary<Asked> {
  return fc.oneof({ weight: 12, arbitrary: single(pools) }, { weight: 1, arbitrary: bundles(pools) });
}
