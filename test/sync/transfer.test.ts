import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const system = "urn:test:national";
const ana = `Individual/${system}|ANA`;
const passphrase = "correct horse battery";
const other = { ...credentials, clientId: "other" };
const settled = { pending: 0, sending: 0, parked: 0, lastError: null };

describe("unsent edits in a file", () => {
  let world: World;
  let broken: Device;

  const ready = async (name: string, as = credentials) => {
    const device = world.device(name);
    await ok(device.client.signIn(as));
    await device.client.sync();
    return device;
  };
  const households = async () => (await ok(world.view.groups.search())).data;
  const people = async () => (await ok(world.view.individuals.search({ limit: "50" }))).data;

  /** A tablet whose radio is broken, with an edit of a record of the server and a household made here. */
  beforeEach(async () => {
    world = await createWorld();
    const identifier = [{ system, value: "ANA" }];
    await ok(
      world.view.individuals.create({
        type: "Individual",
        identifier,
        name: { family: "Cruz", given: "Ana" },
      }),
    );
    broken = await ready("broken");
    broken.online = false;
    await ok(
      broken.client.individuals.update(ana, (draft) => {
        draft.name.family = "Reyes";
      }),
    );
    await ok(
      broken.client.registerHousehold({
        group: { active: true, groupType: "household", name: "Household" },
        members: [{ individual: { active: true, name: { given: "Jo" } } }],
      }),
    );
  });

  it("are sent by another device of the same person, and stay on the first until they arrived", async () => {
    const { records, file } = await ok(broken.client.exportUnsent(passphrase));
    expect(records).toBe(3);
    for (const word of ["Reyes", "Household", system, "tablet"]) expect(file).not.toContain(word);
    const whole = await ready("whole");
    expect(await ok(whole.client.importUnsent(file, passphrase))).toEqual({ restored: 3, sealed: 0 });
    expect((await ok(whole.client.individuals.read(ana))).record.name.family).toBe("Reyes");
    expect(await whole.client.sync()).toMatchObject(settled);
    expect((await people()).map(({ name }) => name.family ?? name.given).sort()).toEqual(["Jo", "Reyes"]);
    expect((await households()).map(({ member }) => member?.length)).toEqual([1]);
    expect(await broken.client.sync()).toMatchObject({ pending: 3 });
  });

  it("have one effect when both devices send them, and the file is taken in twice", async () => {
    const { file } = await ok(broken.client.exportUnsent(passphrase));
    const whole = await ready("whole");
    await ok(whole.client.importUnsent(file, passphrase));
    expect(await ok(whole.client.importUnsent(file, passphrase))).toEqual({ restored: 0, sealed: 0 });
    await whole.client.sync();
    broken.online = true;
    expect(await broken.client.sync()).toMatchObject(settled);
    expect(await ok(whole.client.importUnsent(file, passphrase))).toEqual({ restored: 0, sealed: 0 });
    expect(await whole.client.sync()).toMatchObject(settled);
    expect(await people()).toHaveLength(2);
    expect(await households()).toHaveLength(1);
    const versions = (await people()).map(({ meta }) => meta.versionId).sort();
    expect(versions).toEqual(["1", "2"]);
  });

  it("keep a request whose answer was lost under its key", async () => {
    broken.online = true;
    let lost = false;
    const losing = world.device("losing", {
      network: (send) => async (url, init) => {
        const answer = await send(url, init);
        if (!lost || init.method === "GET") return answer;
        throw new TypeError("connection reset");
      },
    });
    await ok(losing.client.signIn(credentials));
    await losing.client.sync();
    await ok(losing.client.individuals.create({ active: true, name: { given: "Lia" } }));
    lost = true;
    await losing.client.sync();
    const { file } = await ok(losing.client.exportUnsent(passphrase));
    const whole = await ready("whole");
    await ok(whole.client.importUnsent(file, passphrase));
    expect(await whole.client.sync()).toMatchObject(settled);
    expect((await people()).filter(({ name }) => name.given === "Lia")).toHaveLength(1);
  });

  it("of another person stay sealed until that one signs in", async () => {
    const { file } = await ok(broken.client.exportUnsent(passphrase));
    const shared = await ready("shared", other);
    expect(await ok(shared.client.importUnsent(file, passphrase))).toEqual({ restored: 0, sealed: 3 });
    expect((await ok(shared.client.individuals.read(ana))).record.name.family).toBe("Cruz");
    expect(await shared.client.sync()).toMatchObject({ ...settled, signedInAs: "other" });
    expect(await households()).toHaveLength(0);
    expect(await ok(shared.client.signIn(credentials))).toMatchObject({ restored: 3 });
    expect(await shared.client.sync()).toMatchObject(settled);
    expect(await households()).toHaveLength(1);
  });

  it("wait where the record has other unsent edits", async () => {
    const { file } = await ok(broken.client.exportUnsent(passphrase));
    const whole = await ready("whole");
    whole.online = false;
    await ok(
      whole.client.individuals.update(ana, (draft) => {
        draft.name.given = "Anita";
      }),
    );
    expect(await ok(whole.client.importUnsent(file, passphrase))).toEqual({ restored: 2, sealed: 1 });
    expect((await ok(whole.client.individuals.read(ana))).record.name).toMatchObject({
      family: "Cruz",
      given: "Anita",
    });
  });

  it("are merged with what the server has by now", async () => {
    const { file } = await ok(broken.client.exportUnsent(passphrase));
    await ok(world.view.individuals.patch(`${system}|ANA`, { name: { given: "Anita" } }, { ifMatch: "*" }));
    const whole = await ready("whole");
    await ok(whole.client.importUnsent(file, passphrase));
    expect(await whole.client.sync()).toMatchObject(settled);
    expect((await ok(world.view.individuals.read(`${system}|ANA`))).name).toMatchObject({
      family: "Reyes",
      given: "Anita",
    });
  });

  const wrongs: readonly (readonly [string, (file: string) => readonly [string, string], string])[] = [
    ["another passphrase", (file) => [file, "wrong horse battery"], "passphrase"],
    [
      "a file that was changed",
      (file) => [file.replace(/"data":"..../, '"data":"AAAA'), passphrase],
      "passphrase",
    ],
    ["something else", () => ["{}", passphrase], "file"],
    ["no JSON", () => ["\u0000", passphrase], "file"],
    ["a copy that is cut off", (file) => [file.slice(0, -50), passphrase], "file"],
    ["a file of a later version", (file) => [file.replace("unsent-1", "unsent-2"), passphrase], "file"],
  ];

  it.each(wrongs)("are refused whole: %s", async (_, spoil, field) => {
    const { file } = await ok(broken.client.exportUnsent(passphrase));
    const whole = await ready("whole");
    const refused = await whole.client.importUnsent(...(spoil(file) as [string, string]));
    expect(refused).toMatchObject({ ok: false, problem: { kind: "validation", errors: [{ field }] } });
    expect(await whole.client.sync()).toMatchObject(settled);
    expect(await households()).toHaveLength(0);
  });

  it("are told to be cut off, perhaps, where a part of the file is missing", async () => {
    const { file } = await ok(broken.client.exportUnsent(passphrase));
    const refused = await broken.client.importUnsent(file.slice(0, -50), passphrase);
    expect(refused).toMatchObject({
      problem: { detail: expect.stringContaining("an incomplete copy of one") },
    });
  });

  it("need somebody who is signed in, and a passphrase that is worth the name", async () => {
    expect(await broken.client.exportUnsent("too short")).toMatchObject({
      problem: { errors: [{ field: "passphrase", code: "too_short" }] },
    });
    const fresh = world.device("fresh");
    for (const outcome of [
      fresh.client.exportUnsent(passphrase),
      fresh.client.importUnsent("{}", passphrase),
    ]) {
      expect(await outcome).toMatchObject({ ok: false, problem: { kind: "authentication" } });
    }
  });
});
