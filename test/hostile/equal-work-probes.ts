import type { Route } from "@fieldroll/server";
import { type EqualWorld, groupBody, type Names, origin, systems } from "./equal-work-world.ts";

/** A request that names a record, hidden or unknown. */
export interface Asked {
  readonly method: string;
  /** From the API's root. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A kind of request whose answer must not tell a hidden record from an unknown one. */
export interface Probe {
  /** Which route of the table it takes. */
  readonly route: string;
  /** What is special about it, where a route has several. */
  readonly note?: string;
  readonly ask: (names: Names, world: EqualWorld) => Asked;
  /** Whether `$batch` takes it as an entry. */
  readonly inBatch?: boolean;
}

const any = { "If-Match": "*" };

const types = [
  { type: "Individual", name: "person" },
  { type: "Group", name: "group" },
  { type: "ProgramMembership", name: "membership" },
] as const;

const reads = types.flatMap(({ type, name }): Probe[] => {
  const path = (names: Names) => `/${type}/${names[name]}`;
  const get = (route: string, ask: (names: Names) => Omit<Asked, "method">, note = ""): Probe => {
    return {
      route: `GET /${type}${route}`,
      note,
      ask: (names) => ({ method: "GET", ...ask(names) }),
      inBatch: true,
    };
  };
  return [
    get("/{address}", (names) => ({ path: path(names) })),
    {
      ...get(
        "/{address}",
        (names) => ({ path: path(names), headers: { "If-None-Match": '"1"' } }),
        "If-None-Match",
      ),
      inBatch: false,
    },
    get("/{address}", (names) => ({ path: `${path(names)}?_elements=identifier` }), "_elements"),
    { ...get("/{address}/$history", (names) => ({ path: `${path(names)}/$history` })), inBatch: false },
    get("", (names) => ({ path: `/${type}?identifier=${encodeURIComponent(names[name])}` }), "by identifier"),
  ];
});

const bodies = {
  Individual: (names: Names) => ({
    type: "Individual",
    identifier: identifier(names.person),
    name: { family: "X" },
  }),
  Group: (names: Names) => groupBody(bare(names.group), ["seen"]),
  ProgramMembership: (names: Names) => ({
    type: "ProgramMembership",
    identifier: identifier(names.membership),
    ...place("seen"),
    status: "paused",
  }),
};

const writes = types.flatMap(({ type, name }): Probe[] => {
  const path = (names: Names) => `/${type}/${names[name]}`;
  const put: Probe = {
    route: `PUT /${type}/{address}`,
    ask: (names) => ({ method: "PUT", path: path(names), body: bodies[type](names), headers: any }),
    inBatch: true,
  };
  const patch: Probe = {
    route: `PATCH /${type}/{address}`,
    ask: (names) => ({
      method: "PATCH",
      path: path(names),
      body: { name: type === "Group" ? "X" : { family: "X" } },
      headers: any,
    }),
    inBatch: true,
  };
  const withHeaders = (probe: Probe, note: string, headers: () => Record<string, string>): Probe => {
    return { ...probe, note, inBatch: false, ask: (...at) => ({ ...probe.ask(...at), headers: headers() }) };
  };
  const own = type === "ProgramMembership" ? [put] : [put, patch];
  return own.flatMap((probe) => [
    probe,
    withHeaders(probe, "If-Match of a version", () => ({ "If-Match": '"1"' })),
    withHeaders(probe, "Idempotency-Key", () => ({ ...any, "Idempotency-Key": crypto.randomUUID() })),
    withHeaders(probe, "no If-Match", () => ({})),
  ]);
});

const groupOperations: readonly Probe[] = [
  post("/Group/{address}/$add-member", ({ group }) => [
    `/Group/${group}/$add-member`,
    { entity: person("seen") },
  ]),
  post(
    "/Group/{address}/$add-member",
    ({ person: of }) => [`/Group/${systems.group}|seen/$add-member`, { entity: person(bare(of)) }],
    "member",
  ),
  post("/Group/{address}/$remove-member", ({ group }) => [
    `/Group/${group}/$remove-member`,
    { entity: person("seen") },
  ]),
  post(
    "/Group/{address}/$remove-member",
    ({ person: of }) => [`/Group/${systems.group}|seen/$remove-member`, { entity: person(bare(of)) }],
    "member",
  ),
  post("/Group/{address}/$split", ({ group }) => [`/Group/${group}/$split`, split("seen")]),
  post(
    "/Group/{address}/$split",
    ({ person: of }) => [`/Group/${systems.group}|seen/$split`, split(bare(of))],
    "member",
  ),
  post("/Group/$merge", ({ group }) => [
    "/Group/$merge",
    { source: { reference: `Group/${group}` }, target: { reference: `Group/${systems.group}|seen` } },
  ]),
];

const references: readonly Probe[] = [
  post("/Group", ({ person: of }) => ["/Group", groupBody("new", [bare(of)])], "member"),
  post(
    "/ProgramMembership",
    ({ person: of }) => [
      "/ProgramMembership",
      { type: "ProgramMembership", ...place(bare(of)), status: "enrolled" },
    ],
    "beneficiary",
  ),
  search("ProgramMembership", ({ person: of }) => `beneficiary=Individual/${of}`),
  search("Individual", ({ group }) => `group=Group/${group}`),
  search("Group", ({ person: of }) => `member=Individual/${of}`),
];

const registryStyle: readonly Probe[] = [
  {
    route: "GET /registry/registrant/{ext_id}",
    ask: ({ registrant }) => ({ method: "GET", path: `/registry/registrant/${registrant}` }),
  },
  {
    route: "PUT /registry/registrant/{ext_id}",
    ask: ({ registrant }) => ({
      method: "PUT",
      path: `/registry/registrant/${registrant}`,
      body: { name: "X", birthdate: null, gender: null },
    }),
  },
  {
    route: "GET /entitlements/{ext_id}",
    ask: ({ entitlement }) => ({ method: "GET", path: `/entitlements/${entitlement}` }),
  },
  post("/entitlements/{ext_id}/approve", ({ entitlement }) => [
    `/entitlements/${entitlement}/approve`,
    undefined,
  ]),
  post("/programs/{ext_id}/enroll", ({ registrant }, { program }) => [
    `/programs/${program}/enroll`,
    { registrant_ext_id: registrant },
  ]),
  {
    route: "GET /change_request/{ext_id}",
    ask: ({ request }) => ({ method: "GET", path: `/change_request/${request}` }),
  },
  {
    route: "PUT /change_request/{ext_id}",
    ask: ({ draft, registrant }) => ({
      method: "PUT",
      path: `/change_request/${draft}`,
      body: { data: edit(registrant).data },
      headers: any,
    }),
  },
  ...["submit", "revise", "approve", "reject", "apply"].map((verb) =>
    post(`/change_request/{ext_id}/$${verb}`, ({ draft, request }) => [
      `/change_request/${verb === "submit" ? draft : request}/$${verb}`,
      undefined,
    ]),
  ),
  post("/change_request", ({ registrant }) => ["/change_request", edit(registrant)], "registrant_ext_id"),
  post(
    "/change_request",
    ({ membership }) => [
      "/change_request",
      { type: "reopen_enrollment", data: { membership: { reference: `ProgramMembership/${membership}` } } },
    ],
    "membership",
  ),
];

const consents: readonly Probe[] = [
  { route: "GET /Consent/{id}", ask: ({ consent }) => ({ method: "GET", path: `/Consent/${consent}` }) },
  post("/Consent/{id}/$revoke", ({ consent }) => [`/Consent/${consent}/$revoke`, undefined]),
  {
    route: "DELETE /Consent/{id}",
    ask: ({ consent }) => ({ method: "DELETE", path: `/Consent/${consent}` }),
  },
];

/** Every kind of request that names a person, or what belongs to one. */
export const probes: readonly Probe[] = [
  ...reads,
  ...writes,
  ...groupOperations,
  ...references,
  ...registryStyle,
  ...consents,
];

/** Routes with an address that tell of no person: what they name is hidden from nobody. */
const ofNobody =
  /^GET \/(Program\/\{address\}(\/\$history)?|programs\/\{ext_id\}(\/cycles)?|errors\/\{id\})$/;

/** The routes that name one record and have no probe. */
export function routesWithoutProbe(routes: readonly Pick<Route, "method" | "template">[]): readonly string[] {
  const probed = new Set(probes.map(({ route }) => route));
  return routes
    .filter(({ template }) => template.includes("{") || template.includes("$merge"))
    .map(({ method, template }) => `${method} ${template}`)
    .filter((route) => !probed.has(route) && !ofNobody.test(route));
}

/** How a report names a probe. */
export function nameOf({ route, note = "" }: Probe): string {
  return note === "" ? route : `${route} (${note})`;
}

/** A probe alone, as a request. */
export function requestOf(
  { authorization }: EqualWorld,
  { method, path, body, headers = {} }: Asked,
): Request {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const sent = {
    ...headers,
    Authorization: authorization,
    ...(body !== undefined && { "Content-Type": type }),
  };
  const payload = body === undefined ? {} : { body: JSON.stringify(body) };
  return new Request(`${origin}/api/v2${path}`, { method, headers: sent, ...payload });
}

/** Probes as the entries of one `$batch`. */
export function batchOf(type: "batch" | "transaction", asked: readonly Asked[]): Asked {
  const entry = asked.map(({ method, path, body, headers }) => ({
    request: {
      method,
      url: path.slice(1),
      ...(headers?.["If-Match"] !== undefined && { ifMatch: headers["If-Match"] }),
    },
    ...(body !== undefined && { resource: body }),
  }));
  return { method: "POST", path: "/$batch", body: { resourceType: "Bundle", type, entry } };
}

function post(
  template: string,
  ask: (names: Names, world: EqualWorld) => readonly [path: string, body: unknown],
  note = "",
): Probe {
  return {
    route: `POST ${template}`,
    note,
    ask: (names, world) => {
      const [path, body] = ask(names, world);
      return { method: "POST", path, ...(body !== undefined && { body }) };
    },
    inBatch: /^\/(Group|ProgramMembership)$/.test(template),
  };
}

function search(type: string, query: (names: Names) => string): Probe {
  const ask = (names: Names) => ({ method: "GET", path: `/${type}?${query(names)}` });
  return { route: `GET /${type}`, note: "by reference", ask, inBatch: true };
}

function bare(name: string): string {
  return name.slice(name.indexOf("|") + 1);
}

function identifier(name: string) {
  return [{ system: name.slice(0, name.indexOf("|")), value: bare(name) }];
}

function person(value: string) {
  return { reference: `Individual/${systems.person}|${value}` };
}

function place(value: string) {
  return { program: { reference: "Program/urn:service:program|cash" }, beneficiary: person(value) };
}

function split(value: string) {
  return { identifier: [{ system: systems.group, value: "parted" }], name: "X", members: [person(value)] };
}

function edit(registrant: string) {
  return { type: "edit_farmer", data: { registrant_ext_id: registrant, farmer: { farmSize: 3 } } };
}
