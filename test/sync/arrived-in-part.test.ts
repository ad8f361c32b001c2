import type { Individual } from "@fieldroll/core";
import type { Fetch } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { asOffice, run, tabletOf } from "./support/files.ts";
import { ok, personOf, settled, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, type Device, type World } from "./support/world.ts";

const ana = `Individual/${system}|ANA`;
const named = (given: string) => (draft: Individual) => {
  draft.name.given = given;
};
const calls =
  (...values: string[]) =>
  (draft: Individual) => {
    draft.telecom = values.map((value) => ({ system: "phone" as const, value }));
  };

describe("a request that arrived, its answers lost, of which others have changed a part since", () => {
  let world: World;
  let tablet: Device;
  let isLost: boolean;

  /** Writes arrive, and nobody hears of it; pages of searches and feeds do not come. */
  const lossy =
    (send: Fetch): Fetch =>
    async (url, init) => {
      const isWrite = init.method !== "GET" && !url.endsWith("/token");
      const isPage = url.includes("?") && !/limit=1(&|$)/.test(url);
      if (isLost && !isWrite && isPage) throw new TypeError("connection refused");
      const reply = await send(url, init);
      if (isLost && isWrite) throw new TypeError("connection reset");
      return reply;
    };
  const edit = (change: (draft: Individual) => void, reference = ana) =>
    ok(tablet.client.individuals.update(reference, change));
  const hours = async (count: number) => {
    for (let nth = 0; nth < count * 6; nth++) {
      world.pass(600_000);
      await tablet.client.sync();
    }
  };
  const told = async (value = `${system}|ANA`) => {
    const { name, telecom = [] } = await ok(world.view.individuals.read(value));
    return [name.given, ...telecom.map((each) => each.value)];
  };

  beforeEach(async () => {
    isLost = false;
    world = await createWorld();
    await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
  });

  describe.each(["plain", "real"])("at a %s server", (kind) => {
    beforeEach(async () => {
      tablet = await tabletOf(world, "a", {
        network: (send) => lossy(kind === "plain" ? plain(send) : send),
      });
      isLost = true;
      await edit((draft) => {
        named("Anna")(draft);
        calls("0917")(draft);
      });
      await hours(2);
      expect(await told()).toEqual(["Anna", "0917"]);
      await asOffice(world, { name: { given: "Annabel" } });
    });

    it.each([
      ["corrected", ["0918"]],
      ["taken out", []],
    ])("sends a telephone number that is %s since, and asks about the name", async (_, numbers) => {
      await edit(calls(...numbers));
      await hours(0.5);
      isLost = false;
      await run(tablet, 3);
      const [parked] = await tablet.client.parked();
      expect(parked?.conflicts.map(({ path }) => path)).toEqual(["/name/given"]);
      const choices = { "/name/given": "theirs" } as const;
      await ok(tablet.client.resolve(ana, { kind: "choose", revision: parked?.revision ?? "", choices }));
      await run(tablet, 2);
      expect(await told()).toEqual(["Annabel", ...numbers]);
    });

    it("takes out what all was taken back", async () => {
      await edit((draft) => {
        named("Ana")(draft);
        delete draft.telecom;
      });
      await hours(0.5);
      isLost = false;
      await run(tablet, 3);
      expect(tablet.client.status.current).toMatchObject(settled);
      expect(await told()).toEqual(["Annabel"]);
    });
  });

  it.each(["plain", "real"])(
    "takes a telephone number out of who was registered by it, at a %s server",
    async (kind) => {
      tablet = await tabletOf(world, "a", {
        network: (send) => lossy(kind === "plain" ? plain(send) : send),
      });
      isLost = true;
      const person = {
        name: { family: "New", given: "Eva" },
        telecom: [{ system: "phone" as const, value: "1" }],
      };
      const { reference } = await ok(tablet.client.individuals.create(person));
      await hours(2);
      const value = reference.slice("Individual/".length);
      await ok(world.view.individuals.patch(value, { birthDate: "1990-01-01" }, { ifMatch: "*" }));
      await edit((draft) => {
        delete draft.telecom;
      }, reference);
      await hours(0.5);
      isLost = false;
      await run(tablet, 3);
      expect(tablet.client.status.current).toMatchObject(settled);
      expect(await told(value)).toEqual(["Eva"]);
    },
  );
});
