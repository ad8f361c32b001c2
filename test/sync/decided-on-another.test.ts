import type { ParkedRecord } from "@fieldroll/sync";
import { expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials } from "./support/world.ts";

const system = "urn:test:national";
const ana = { system, value: "ANA" };
const reference = `Individual/${system}|ANA`;
const other = { ...credentials, clientId: "other" };
const theirs = { "/name/family": "theirs" } as const;

/** A person whose family name is in conflict, decided on after the tablet was in other hands. */
async function asked() {
  const world = await createWorld();
  const { individuals } = world.view;
  await ok(individuals.create({ type: "Individual", identifier: [ana], name: { family: "Cruz" } }));
  const device = world.device("a");
  const { client } = device;
  const signIn = (who: typeof credentials) => ok(client.signIn(who));
  const rename = (family: string) =>
    ok(
      client.individuals.update(reference, (draft) => {
        draft.name.family = family;
      }),
    );
  const office = (family: string) => ok(individuals.patch(ana, { name: { family } }, { ifMatch: "*" }));
  const parked = async (): Promise<ParkedRecord> => {
    await client.sync();
    const [one] = await client.parked();
    if (!one) throw new Error("nobody is asked");
    return one;
  };
  await signIn(credentials);
  await client.sync();
  await rename("Of the first");
  await office("Office 1");
  const seen = await parked();
  return { client, individuals, signIn, rename, office, parked, seen };
}

/** Once, the revision of a conflict was that of another one, as documents were counted from 1 again. */
it("a decision on a conflict of whoever had the tablet before is not carried out on another person's", async () => {
  const { client, individuals, signIn, rename, office, parked, seen } = await asked();
  await signIn(other);
  await client.sync();
  await rename("Of the second");
  await office("Office 2");
  const now = await parked();
  expect(now.ours).toMatchObject({ name: { family: "Of the second" } });
  const { revision } = seen;
  for (const decision of [
    { kind: "choose", revision, choices: theirs },
    { kind: "retry", revision },
    { kind: "discard", revision },
  ] as const) {
    expect(await client.resolve(reference, decision), decision.kind).toMatchObject({
      ok: false,
      problem: { kind: "conflict" },
    });
  }
  expect(await parked()).toEqual(now);
  expect((await ok(individuals.read(ana))).name.family).toBe("Office 2");
});

it("nor is one on what it was beside before the tablet came back to the same person", async () => {
  const { client, individuals, signIn, office, parked, seen } = await asked();
  const found: string[] = [seen.revision];
  for (let round = 2; round < 5; round++) {
    await signIn(other);
    await signIn(credentials);
    await office(`Office ${round}`);
    found.push((await parked()).revision);
  }
  expect(new Set(found).size).toBe(found.length);
  for (const revision of found.slice(0, -1)) {
    const decision = { kind: "choose", revision, choices: { "/name/family": "ours" } } as const;
    expect(await client.resolve(reference, decision)).toMatchObject({ ok: false });
  }
  expect((await ok(individuals.read(ana))).name.family).toBe("Office 4");
});

it("a revision that is no text is no decision", async () => {
  const { client } = await asked();
  const decision = { kind: "discard", revision: 3 } as never;
  expect(await client.resolve(reference, decision)).toMatchObject({
    ok: false,
    problem: { kind: "bad-request", detail: expect.stringContaining("revision") },
  });
});
