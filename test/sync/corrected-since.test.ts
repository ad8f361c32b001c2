import type { MemoryMedium } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { answering } from "./support/bundles.ts";
import { asOffice, run } from "./support/files.ts";
import { ok, refusal, system } from "./support/people.ts";
import { ana, call, edit, everybody } from "./support/restored.ts";
import { createWorld, credentials, type Device, restoredFrom, type World } from "./support/world.ts";

const ana2 = { identifier: [{ system, value: "ANA2" }] };
const elsewhere = [{ type: "physical" as const, state: "Batangas", country: "PH" }];

describe("a server that is restored, and somebody who was registered here and is in none of this tablet's areas", () => {
  let world: World;
  let later: World | undefined;
  let tablet: Device;
  let mayAsk = true;
  /** What a request below this path is answered with, once or for good. */
  let troubled: { readonly path: string; readonly status: number; readonly once: boolean } | null = null;
  /** A backup of before that. */
  let before: MemoryMedium;

  beforeEach(async () => {
    [world, later] = [await createWorld(), undefined];
    [mayAsk, troubled] = [true, null];
    const network = answering(({ path }) => {
      if (troubled && decodeURIComponent(path).startsWith(troubled.path)) return inTrouble(troubled);
      const isKept = !mayAsk && path.startsWith("registry/");
      return isKept ? refusal(403, "authorization", { missing_scope: "registry:read" }) : undefined;
    });
    tablet = world.device("a", { network, feeds: ["programs", "area:PH/Cavite", "area:PH/Laguna"] });
    await ok(tablet.client.signIn(credentials));
    await run(tablet, 1);
    before = structuredClone(world.medium);
    await ok(
      tablet.client.individuals.create({
        identifier: [{ system, value: "ANA" }],
        name: { given: "Ana" },
        address: elsewhere,
      }),
    );
    await run(tablet, 2);
  });

  const inTrouble = ({ status, once }: NonNullable<typeof troubled>) => {
    if (once) troubled = null;
    return refusal(status, status === 500 ? "internal" : "bad-request");
  };
  const restore = async (backup = structuredClone(world.medium)) => {
    later = await restoredFrom(backup);
    world.moveTo(later);
    await ok(tablet.client.signIn(credentials));
    await run(tablet, 3);
  };
  const told = async () =>
    (await everybody((later ?? world).view)).map(({ identifier, telecom = [] }) =>
      [identifier[0]?.value, ...telecom.map(({ value }) => value)].join(" "),
    );
  const shown = async () =>
    (await ok(tablet.client.individuals.search({}))).data.map(
      ({ reference, state }) => `${reference} ${state}`,
    );
  const pass = async () => {
    world.pass(25 * 3_600_000);
    await ok(tablet.client.signIn(credentials));
    await run(tablet, 1);
  };

  it.each([true, false])(
    "is given back, where the server lost it; may the tablet ask by keys: %s",
    async (may) => {
      mayAsk = may;
      await restore(before);
      expect(await told()).toEqual(["ANA"]);
      expect(await shown()).toEqual([`${ana} synced`]);
    },
  );

  it("is there once, where nothing was lost", async () => {
    await restore();
    expect(await told()).toEqual(["ANA"]);
  });

  it("is there once, where nothing was lost and the only number was corrected since", async () => {
    await asOffice(world, ana2, ana);
    await restore();
    expect(await told()).toEqual(["ANA2"]);
    expect(await shown()).toEqual([`${ana}2 synced`]);
  });

  it("is there once where another person of that name is there too, who has the number by now", async () => {
    await asOffice(world, ana2, ana);
    const other = { type: "Individual", identifier: [{ system, value: "ANA" }], name: { given: "Ana" } };
    await ok(world.view.individuals.create(other));
    await restore();
    expect((await told()).sort()).toEqual(["ANA", "ANA2"]);
    expect(await shown()).toContain(`${ana}2 synced`);
  });

  it("has the telephone number that was lost together with the correction", async () => {
    const backup = structuredClone(world.medium);
    await asOffice(world, ana2, ana);
    await pass();
    await edit(tablet, call("1"), `${ana}2`);
    await run(tablet, 1);
    expect(await told()).toEqual(["ANA2 1"]);
    await restore(backup);
    expect(await told()).toEqual(["ANA 1"]);
  });

  it("has the telephone number that was lost, where the correction came after the restore", async () => {
    const backup = structuredClone(world.medium);
    await edit(tablet, call("1"));
    await run(tablet, 1);
    later = await restoredFrom(backup);
    await asOffice(later, ana2, ana);
    await restore(later.medium);
    expect(await told()).toEqual(["ANA2 1"]);
  });

  describe.each([400, 500])("where a question is answered %i", (status) => {
    it("is there once, where the question by key was refused once, and the number corrected since", async () => {
      await asOffice(world, ana2, ana);
      troubled = { path: "registry/registrant/", status, once: true };
      await restore();
      expect(await told()).toEqual(["ANA2"]);
      await pass();
      await run(tablet, 2);
      expect(troubled).toBeNull();
      expect(await told()).toEqual(["ANA2"]);
      expect(await shown()).toEqual([`${ana}2 synced`]);
    });

    it("is given back, where the question by key is refused for good", async () => {
      troubled = { path: "registry/registrant/", status, once: false };
      await restore(before);
      expect(await told()).toEqual([]);
      await pass();
      await run(tablet, 2);
      expect(await told()).toEqual(["ANA"]);
    });
  });

  it("has the telephone number that was lost, where the server was busy when it was asked", async () => {
    const backup = structuredClone(world.medium);
    await edit(tablet, call("1"));
    await run(tablet, 1);
    later = await restoredFrom(backup);
    await asOffice(later, ana2, ana);
    troubled = { path: "Individual/", status: 503, once: true };
    await restore(later.medium);
    expect(troubled).toBeNull();
    expect(await told()).toEqual(["ANA2 1"]);
  });

  it("stays on the tablet, where the number was corrected and nothing was restored", async () => {
    await asOffice(world, ana2, ana);
    await pass();
    expect(await shown()).toEqual([`${ana}2 synced`]);
  });

  it.each([false, true])(
    "keeps a household from being there twice; is a read refused once: %s",
    async (isRefused) => {
      const number = (value: string) => ({ identifier: [{ system: "urn:test:households", value }] });
      const household = {
        ...number("H1"),
        groupType: "household" as const,
        name: "Diaz",
        address: elsewhere,
      } as const;
      await ok(tablet.client.groups.create(household));
      await run(tablet, 2);
      const { groups } = world.view;
      await ok(groups.patch("urn:test:households|H1", number("H2"), { ifMatch: "*" }));
      if (isRefused) troubled = { path: "Group/urn:test:households|H2", status: 400, once: true };
      await restore();
      if (isRefused) await pass();
      expect(troubled).toBeNull();
      const data = (await ok((later ?? world).view.groups.search({}))).data;
      expect(data.map(({ identifier }) => identifier[0]?.value)).toEqual(["H2"]);
    },
  );
});
