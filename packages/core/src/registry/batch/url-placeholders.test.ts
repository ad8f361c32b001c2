import { describe, expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import {
  bundle,
  enrollment,
  entry,
  faultsOf,
  group,
  open,
  p1,
  p2,
  person,
  statuses,
} from "./test-bundles.ts";

const odd = person("3, 4|5/6 #7?8%9");
const added = { entity: { reference: "Individual/urn:gov:id|1" } };

describe.each(["transaction", "batch"])("a placeholder in the request.url of a %s", (type) => {
  it.each([
    ["as it is", p1],
    ["percent-encoded", p1.replaceAll(":", "%3A")],
    ["in capitals", p1.toUpperCase()],
  ])("names the record to change, %s", async (_name, written) => {
    const { view } = await open();
    const answer = await view.batch(
      bundle(
        type,
        entry("POST Individual", odd, { fullUrl: p1 }),
        entry(`PATCH Individual/${written}`, { birthDate: "2000-01-01" }, { ifMatch: "1" }),
        entry(`GET Individual/${written}?_elements=birthDate`),
      ),
    );
    expect(statuses(answer)).toEqual([201, 200, 200]);
    expect(unwrap(answer).responses[2]?.resource).toMatchObject({ birthDate: "2000-01-01" });
  });

  it("names the group of a member operation", async () => {
    const { view } = await open();
    const answer = await view.batch(
      bundle(
        type,
        entry(`POST /Group/${p1}/$add-member`, added),
        entry("POST Group", group("g"), { fullUrl: p1 }),
        entry(`POST Group/${p1}/%24add-member`, { entity: { reference: p2 } }),
        entry("POST Individual", odd, { fullUrl: p2 }),
      ),
    );
    expect(statuses(answer)).toEqual([201, 201, 201, 201]);
    expect(unwrap(await view.groups.read("urn:service:group|g")).quantity).toBe(2);
  });

  it.each([
    ["Group", `member=Individual/${p2}`],
    ["Group", `member=${p2}&name=household`],
    ["Group", `name=household&member=${encodeURIComponent(`Individual/urn:gov:id|1,Individual/${p2}`)}`],
    ["Individual", `group=${p1}`],
    ["ProgramMembership", `beneficiary=Group/${p1}`],
  ])("names a record in a search: %s?%s", async (searched, query) => {
    const { view } = await open();
    const answer = await view.batch(
      bundle(
        type,
        entry("POST Individual", odd, { fullUrl: p2 }),
        entry("POST Group", { ...group("g, h", p2), name: "Household g" }, { fullUrl: p1 }),
        entry("POST ProgramMembership", enrollment(p1)),
        entry(`GET ${searched}?${query}&_sort=identifier`),
      ),
    );
    expect(statuses(answer)).toEqual([201, 201, 201, 200]);
    const found = unwrap(answer).responses[3]?.resource?.data;
    expect(Array.isArray(found) ? found.length : 0).toBe(query.includes("%2C") ? 2 : 1);
  });

  it("names an enrollment whose identifier the server gives", async () => {
    const { view } = await open();
    const answer = await view.batch(
      bundle(
        type,
        entry("POST ProgramMembership", enrollment("Group/urn:service:group|a"), { fullUrl: p1 }),
        entry(`PATCH ProgramMembership/${p1}`, { status: "enrolled" }, { ifMatch: "1" }),
        entry(`GET ProgramMembership/${p1}`),
      ),
      { idempotency: { key: "k", fingerprint: "f" } },
    );
    expect(statuses(answer)).toEqual([201, 200, 200]);
    expect(unwrap(answer).responses[2]?.resource).toMatchObject({
      status: "enrolled",
      identifier: [{ system: "urn:service:program-membership" }],
    });
  });

  it.each([
    ["a path", `PATCH Individual/${p1}`, {}],
    ["a member operation", `POST Group/${p1}/$add-member`, added],
    ["a reference", `GET Group?member=Individual/${p1}`, undefined],
    ["a group", `GET Individual?group=${p1}`, undefined],
  ])("is refused where nothing declares it: %s", async (_name, line, body) => {
    const { view } = await open();
    const answer = await view.batch(bundle(type, entry("GET Group"), entry(line, body)));
    expect(faultsOf(answer)).toEqual(["/entry/1/request/url unknown_placeholder"]);
  });

  it("is none where it is a system, or a value that is searched for", async () => {
    const { view } = await open();
    const identifier = [{ system: p1, value: p2 }];
    const answer = await view.batch(
      bundle(
        type,
        entry("POST Individual", { ...person("3"), identifier }),
        entry(`PATCH Individual/${p1}|${p2}`, { birthDate: "2000-01-01" }, { ifMatch: "1" }),
        entry(`GET Individual?identifier=${p2}`),
        entry(`GET Group?member=Individual/${p1}%7C${p2}`),
      ),
    );
    expect(statuses(answer)).toEqual([201, 200, 200, 200]);
  });

  it("waits for no entry that waits for it", async () => {
    const { view } = await open();
    const answer = await view.batch(
      bundle(type, entry(`PATCH Individual/${p1}`, {}, { fullUrl: p1, ifMatch: "1" })),
    );
    expect(faultsOf(answer)).toEqual(["/entry/0/request/url circular_reference"]);
  });
});

describe.each([
  ["DELETE Individual/urn:gov:id|1", "GET, PUT, PATCH"],
  ["DELETE Individual", "GET, POST"],
  ["DELETE Program/urn:service:program|cash", "GET"],
  ["DELETE Group/urn:service:group|a/$add-member", "POST"],
  ["DELETE Consent/0190a6b0-0000-7000-8000-00000000000a", "GET"],
  ["POST Consent/0190a6b0-0000-7000-8000-00000000000a/$revoke", "GET"],
])("the entry %s", (line, possible) => {
  const bad = entry(line, line.startsWith("POST") ? {} : undefined);

  it("is the answer of a transaction", async () => {
    const { view } = await open();
    const answer = await view.batch(bundle("transaction", entry("POST Individual", person("3")), bad));
    expect(answer).toMatchObject({ ok: false, problem: { kind: "method-not-allowed", entry: 1 } });
    expect(answer.ok ? "" : answer.problem.detail).toContain(possible);
    expect((await view.individuals.read("urn:gov:id|3")).ok).toBe(false);
  });

  it("is one answer of a batch", async () => {
    const { view } = await open();
    expect(statuses(await view.batch(bundle("batch", entry("POST Individual", person("3")), bad)))).toEqual([
      201, 405,
    ]);
  });
});
