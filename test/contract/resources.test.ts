import { beforeEach, describe, expect, it } from "vitest";
import { picture } from "../picture.ts";
import { household, person, stores } from "./fixture.ts";
import { everything, seed, startWorld, type World } from "./world.ts";

const writer = { id: "writer", scopes: everything, organization: "Ministry", legalBasis: "public_task" };
const ana = "Individual/urn:gov:ph:nid|1";
const relationship = "urn:service:vocab:relationship";
const gender = (code: string) => ({ coding: [{ system: "urn:iso:std:iso:5218", code }] });
const role = (code: string) => ({ coding: [{ system: relationship, code }] });
/** The smallest images that there are, by their types. */
const png =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const jpeg = picture("");
const webp = `data:image/webp;base64,${Buffer.from("RIFF\x0c\0\0\0WEBPVP8 \0\0\0\0").toString("base64")}`;

type Case = readonly [name: string, more: Record<string, unknown>, field?: string];

const named = (cases: readonly Case[]) => cases.map(([name, more, field]) => ({ name, more, field }));

/** Section 2, the rows about Individual: without a field the body is accepted. */
const individuals: readonly Case[] = [
  [
    "an identifier with a period",
    { identifier: [{ system: "urn:x", value: "1", period: { start: "2020-01-01" } }] },
  ],
  ["an identifier value of 255 characters", { identifier: [{ system: "urn:x", value: "v".repeat(255) }] }],
  [
    "an identifier value of 256 characters",
    { identifier: [{ system: "urn:x", value: "v".repeat(256) }] },
    "/identifier/0/value",
  ],
  ["an identifier without a system", { identifier: [{ value: "1" }] }, "/identifier/0/system"],
  ["an identifier without a value", { identifier: [{ system: "urn:x" }] }, "/identifier/0/value"],
  [
    "an identifier value of blanks",
    { identifier: [{ system: "urn:x", value: "  " }] },
    "/identifier/0/value",
  ],
  ["an identifier system of blanks", { identifier: [{ system: " ", value: "1" }] }, "/identifier/0/system"],
  [
    "an identifier with a control character",
    { identifier: [{ system: "urn:x", value: "a\u0007b" }] },
    "/identifier/0/value",
  ],
  [
    "an identifier with a member it does not have",
    { identifier: [{ system: "urn:x", value: "1", use: "x" }] },
    "/identifier/0/use",
  ],
  ["a name of a prefix and a suffix", { name: { prefix: "Dr", suffix: "Jr" } }],
  ["a name of nothing but blanks", { name: { family: " ", given: "" } }, "/name"],
  ["an empty name", { name: {} }, "/name"],
  ["a name with a title", { name: { family: "R", title: "x" } }, "/name/title"],
  ["a birth date on a leap day", { birthDate: "2024-02-29" }],
  ["a birth date today", { birthDate: "2026-03-01" }],
  ["a birth date in 1850", { birthDate: "1850-01-01" }],
  ["a birth date tomorrow", { birthDate: "2026-03-02" }, "/birthDate"],
  ["a birth date in 1849", { birthDate: "1849-12-31" }, "/birthDate"],
  ["a birth date that no calendar has", { birthDate: "2023-02-29" }, "/birthDate"],
  ["a birth date with a time", { birthDate: "2020-01-01T00:00:00Z" }, "/birthDate"],
  ["gender 0", { gender: gender("0") }],
  ["gender 1", { gender: gender("1") }],
  ["gender 2", { gender: gender("2") }],
  ["gender 9", { gender: gender("9") }],
  ["gender 3", { gender: gender("3") }, "/gender"],
  ["gender f", { gender: gender("f") }, "/gender"],
  ...["phone", "email", "fax", "url", "sms"].map(
    (system): Case => [`telecom ${system}`, { telecom: [{ system, value: "http://x" }] }],
  ),
  ...["home", "work", "mobile"].map(
    (use): Case => [`telecom for ${use}`, { telecom: [{ system: "phone", value: "1", use }] }],
  ),
  ["a web address under TLS", { telecom: [{ system: "url", value: "HTTPS://example.org/a?b#c" }] }],
  ...[
    "javascript:alert(1)",
    "example.org",
    "//example.org",
    "ftp://a.example",
    "http://",
    "data:text/html,x",
  ].map(
    (value): Case => [
      `the web address ${value}`,
      { telecom: [{ system: "url", value }] },
      "/telecom/0/value",
    ],
  ),
  ["telecom by pigeon", { telecom: [{ system: "pigeon", value: "x" }] }, "/telecom/0/system"],
  ["telecom for holidays", { telecom: [{ system: "phone", value: "1", use: "holiday" }] }, "/telecom/0/use"],
  ["telecom of rank 1", { telecom: [{ system: "phone", value: "1", rank: 1 }] }],
  ["telecom of rank 0", { telecom: [{ system: "phone", value: "1", rank: 0 }] }, "/telecom/0/rank"],
  ...["physical", "postal", "both"].map(
    (type): Case => [`a ${type} address`, { address: [{ type, district: "Centro", country: "PH" }] }],
  ),
  ["a virtual address", { address: [{ type: "virtual" }] }, "/address/0/type"],
  ["a country in lower case", { address: [{ country: "ph" }] }, "/address/0/country"],
  ["a country that is none", { address: [{ country: "ZZ" }] }, "/address/0/country"],
  ["a PNG photo", { photo: png }],
  ["a JPEG photo", { photo: jpeg }],
  ["a WebP photo", { photo: webp }],
  ["a photo whose bytes are of another type", { photo: png.replace("png", "jpeg") }, "/photo"],
  ["a photo that is a link", { photo: "https://example.org/a.png" }, "/photo"],
  ["a GIF photo", { photo: "data:image/gif;base64,R0lGODlhAQABAAAAACw=" }, "/photo"],
  ["a photo of more than 5 MiB", { photo: png + "A".repeat(5 * 1024 * 1024) }, "/photo"],
  ["an unknown member", { nickname: "A" }, "/nickname"],
  ["client-sent meta and groupMembership", { meta: { versionId: "9", x: 1 }, groupMembership: "none" }],
];

const head = { entity: { reference: ana }, role: role("head") };
const groups: readonly Case[] = [
  ...["household", "family", "organization", "other"].map(
    (groupType): Case => [`type ${groupType}`, { groupType }],
  ),
  ["another type", { groupType: "gang" }, "/groupType"],
  ["a member", { member: [head] }],
  ["client-sent quantity", { quantity: 99 }],
  ["a member unknown", { member: [{ entity: { reference: "Individual/urn:x|9" } }] }, "/member/0/entity"],
  [
    "a member that is a group",
    { member: [{ entity: { reference: "Group/urn:service:group|0" } }] },
    "/member/0/entity",
  ],
  [
    "the same member twice",
    { member: [{ entity: { reference: ana } }, { entity: { reference: ana } }] },
    "/member/1/entity",
  ],
  [
    "two active heads",
    { member: [head, { ...head, entity: { reference: "Individual/urn:gov:ph:nid|2" } }] },
    "/member",
  ],
  [
    "a former and a present head",
    {
      member: [
        { ...head, inactive: true },
        { ...head, entity: { reference: "Individual/urn:gov:ph:nid|2" } },
      ],
    },
  ],
  [
    "a period that ends before it starts",
    { member: [{ ...head, period: { start: "2025-02-01", end: "2025-01-01" } }] },
    "/member/0/period",
  ],
  ...[
    "head",
    "spouse",
    "child",
    "child_in_law",
    "grandchild",
    "parent",
    "parent_in_law",
    "grandparent",
    "sibling",
    "other_relative",
    "non_relative",
  ].map((code): Case => [`the role ${code}`, { member: [{ entity: { reference: ana }, role: role(code) }] }]),
  [
    "the role of a neighbour",
    { member: [{ entity: { reference: ana }, role: role("neighbour") }] },
    "/member/0/role",
  ],
  ["no name", { name: " " }, "/name"],
];

describe.each(stores)("bodies on %s", (_name, open) => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld({ open, clients: [writer] });
    await seed(world, [person("1"), person("2"), household("0", [])]);
  });

  const refusedWhole = async (path: string, body: { identifier?: unknown }, field: string) => {
    const answer = await world.post("writer", path, body);
    expect([answer.status, answer.body.type]).toEqual([422, "urn:service:error:validation"]);
    const fields = answer.body.errors.map((error: { field: string }) => error.field);
    expect(
      fields.some((name: string) => name === field || name.startsWith(`${field}/`)),
      fields.join(),
    ).toBe(true);
    const { body: all } = await world.get("writer", `${path}?active=any&limit=500`);
    expect(all.data).toHaveLength(path === "/Group" ? 1 : 2);
  };

  it.each(named(individuals))("Individual: $name", async ({ more, field }) => {
    const body = person("new", more);
    if (field) return refusedWhole("/Individual", body, field);
    const answer = await world.post("writer", "/Individual", body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  });

  it.each(named(groups))("Group: $name", async ({ more, field }) => {
    const body = household("new", [], more);
    if (field) return refusedWhole("/Group", body, field);
    const answer = await world.post("writer", "/Group", body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  });

  it("all faults of a body are told at once", async () => {
    const { body } = await world.post("writer", "/Individual", {
      type: "Individual",
      name: {},
      birthDate: "x",
      gender: gender("7"),
      nickname: 1,
    });
    const fields = body.errors.map(({ field }: { field: string }) => field.split("/")[1]).sort();
    expect([...new Set(fields)]).toEqual(["birthDate", "gender", "identifier", "name", "nickname"]);
    for (const error of body.errors) expect(Object.keys(error).sort()).toEqual(["code", "field", "message"]);
  });

  it("a name's text is derived, in the order given middle family, and not stored", async () => {
    const path = "/Individual/urn:gov:ph:nid|9";
    const name = { family: "Reyes", given: "Ana", middle: "L." };
    const created = await world.post("writer", "/Individual", person("9", { name }));
    expect(created.body.name).toEqual({ ...name, text: "Ana L. Reyes" });
    const changed = await world.change("writer", "PATCH", path, { name: { given: "Bea" } });
    expect(changed.body.name.text).toBe("Bea L. Reyes");
    const own = await world.change("writer", "PATCH", path, { name: { text: "Aling Bea" } });
    expect(own.body.name.text).toBe("Aling Bea");
    expect((await world.change("writer", "PATCH", path, { name: { middle: null } })).body.name.text).toBe(
      "Aling Bea",
    );
  });

  it("derived members that a client sends are ignored", async () => {
    const individual = {
      meta: { versionId: "9", source: "urn:me" },
      groupMembership: [{ group: { reference: "Group/x|1" } }],
    };
    const { body } = await world.post("writer", "/Individual", person("9", individual));
    expect(body.meta).toMatchObject({ versionId: "1", source: "urn:service:api-client:writer" });
    expect(body.groupMembership ?? []).toEqual([]);
    const group = await world.post("writer", "/Group", household("9", [ana], { quantity: 9 }));
    expect(group.body.quantity).toBe(1);
  });

  it("a photo is shown by single reads, and by search only with _elements=photo", async () => {
    await world.post("writer", "/Individual", person("9", { photo: png }));
    expect((await world.get("writer", "/Individual/urn:gov:ph:nid|9")).body.photo).toBe(png);
    expect((await world.get("writer", "/Individual?identifier=9")).body.data[0]).not.toHaveProperty("photo");
    const asked = await world.get("writer", "/Individual?identifier=9&_elements=photo");
    expect(asked.body.data[0].photo).toBe(png);
    const feed = await world.get("writer", "/$changes?feed=all&limit=500");
    expect(JSON.stringify(feed.body)).not.toContain("image/png");
  });

  it("quantity counts members whose place is active today", async () => {
    const past = { period: { start: "2020-01-01", end: "2025-12-31" } };
    const member = [
      { entity: { reference: ana } },
      { entity: { reference: "Individual/urn:gov:ph:nid|2" }, ...past },
    ];
    const { body } = await world.post("writer", "/Group", household("9", [], { member }));
    expect([body.quantity, body.member.length]).toEqual([1, 2]);
  });

  it("a group's member appears in the person, whose version stays", async () => {
    await world.post("writer", "/Group", household("9", [], { member: [head] }));
    const { body } = await world.get("writer", `/${ana}`);
    expect(body.groupMembership).toMatchObject([
      { group: { reference: "Group/urn:service:group|9" }, role: role("head") },
    ]);
    expect(body.meta.versionId).toBe("1");
    await world.change("writer", "PATCH", "/Group/urn:service:group|9", { member: null });
    expect((await world.get("writer", `/${ana}`)).body.groupMembership ?? []).toEqual([]);
  });
});
