import { describe, expect, it } from "vitest";
import { ana, home } from "../contract/consent-world.ts";
import { household, stores } from "../contract/fixture.ts";
import { bundle, create, fresh, newcomer, open, people, post, type Request } from "./restricted-world.ts";

const malformed: readonly unknown[] = [
  ...["a", "/|a", "", "Individual", "Individual/", "Individual/x", "Individual/|x", "Individual/urn:x|"],
  ...["Nobody/urn:x|1", "Consent/urn:x|1", "Individual/ | ", `Individual/urn:x|${"x".repeat(300)}`],
  ...[`${"Individual/".repeat(500)}|x`, "Individual/urn:x|a\u0007", 5, null, [], {}],
];

describe.each(stores)("a malformed reference on %s", (_name, store) => {
  const of = (reference: unknown) => ({ reference });
  const group = (reference: unknown) => household("new", [], { member: [{ entity: of(reference) }] });
  const leaving = (members: unknown, head?: unknown) => ({
    identifier: [{ system: "urn:g", value: "s" }],
    name: "S",
    members,
    ...(head !== undefined && { head }),
  });
  const enrollment = (program: unknown, beneficiary: unknown) => ({
    type: "ProgramMembership",
    program: of(program),
    beneficiary: of(beneficiary),
    status: "enrolled",
  });
  const stay = "/ProgramMembership/urn:m|ana";
  const terms = {
    grantee: { organization: "Helpers" },
    scope: [{ resourceType: "all", fieldAccess: "all" }],
  };
  const asked = (type: string, data: unknown) => post("/change_request", { type, data });
  const patch = (path: string, body: unknown): Request => ({ method: "PATCH", path, body });
  const doors: readonly (readonly [string, string, (reference: unknown) => Request])[] = [
    ["a new group's member", "/member/0/entity/reference", (text) => post("/Group", group(text))],
    [
      "a member by PATCH",
      "/member/0/entity/reference",
      (text) => patch(`/${home}`, { member: [{ entity: of(text) }] }),
    ],
    [
      "a member by PUT",
      "/member/0/entity/reference",
      (text) => ({
        ...patch(`/${home}`, { ...group(text), identifier: household("home", []).identifier }),
        method: "PUT",
      }),
    ],
    ["$add-member", "/entity/reference", (text) => post(`/${home}/$add-member`, { entity: of(text) })],
    ["$remove-member", "/entity/reference", (text) => post(`/${home}/$remove-member`, { entity: of(text) })],
    ["$split", "/members/0/reference", (text) => post(`/${home}/$split`, leaving([of(text)]))],
    [
      "the head of $split",
      "/head/reference",
      (text) => post(`/${home}/$split`, leaving([of(ana)], of(text))),
    ],
    [
      "the source of $merge",
      "/source/reference",
      (text) => post("/Group/$merge", { source: of(text), target: of(home) }),
    ],
    [
      "the target of $merge",
      "/target/reference",
      (text) => post("/Group/$merge", { source: of(home), target: of(text) }),
    ],
    [
      "a beneficiary",
      "/beneficiary/reference",
      (text) => post("/ProgramMembership", enrollment(people, text)),
    ],
    ["a program", "/program/reference", (text) => post("/ProgramMembership", enrollment(text, ana))],
    [
      "a program by PUT",
      "/program/reference",
      (text) => ({ ...patch(stay, enrollment(text, ana)), method: "PUT" }),
    ],
    [
      "a consent's subject",
      "/data/subject/reference",
      (text) => asked("grant_consent", { ...terms, subject: of(text) }),
    ],
    [
      "an enrollment to reopen",
      "/data/membership/reference",
      (text) => asked("reopen_enrollment", { membership: of(text) }),
    ],
    [
      "a transaction's entry",
      "/member/0/entity/reference",
      (text) => bundle("transaction", create(group(text)), create(newcomer(fresh))),
    ],
  ];
  it.each(doors)(
    "is 422 for every caller, with the field and nothing else: %s",
    async (_door, field, ask) => {
      const world = await open(store);
      for (const client of ["ngo", "clerk", "ministry"]) {
        for (const text of malformed) {
          const { status, body } = await world.send(client, { ...ask(text), headers: { "If-Match": "*" } });
          const at = body.errors?.map((error: { field: string }) => error.field);
          expect([client, text, status, at]).toEqual([client, text, 422, [field]]);
        }
      }
    },
  );

  it.each([
    ["Group", "member"],
    ["ProgramMembership", "beneficiary"],
    ["ProgramMembership", "program"],
  ])("is 400 for every caller in a search for a %s by its %s", async (type, name) => {
    const world = await open(store);
    const texts = malformed.filter((text) => typeof text === "string");
    for (const client of ["ngo", "clerk", "ministry"]) {
      for (const text of texts) {
        const answer = await world.get(client, `/${type}?${name}=${encodeURIComponent(text)}`);
        expect([text, answer.status, answer.body.errors?.[0].field]).toEqual([text, 400, name]);
      }
    }
  });
});
