import type { Fetch } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { ok, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { ana, call, edit, rename } from "./support/restored.ts";
import { createWorld, credentials, type Device, partner, restoredFrom, type World } from "./support/world.ts";

const secret = "12 Secret street";
const busy = () => new Response("busy", { status: 503 });

/** A tablet whose user consents bind, with Ana on it, shown whole; and what can be made of that consent. */
async function createGuest(between: (send: Fetch) => Fetch = (send) => send) {
  let isBusy = false;
  const world = await createWorld();
  await ok(
    world.view.individuals.create({
      ...{
        type: "Individual",
        identifier: [{ system, value: "ANA" }],
        name: { family: "Cruz", given: "Ana" },
      },
      address: [{ type: "physical", city: "Naga", line: [secret] }],
      telecom: [{ system: "phone", value: secret }],
    }),
  );
  const grant = async (at: World, scope: object) => {
    const terms = { subject: { reference: ana }, grantee: { organization: "Aid" } };
    return ok(at.view.consents.grant({ ...terms, scope: [{ resourceType: "Individual", ...scope }] }));
  };
  const whole = await grant(world, { fieldAccess: "all" });
  const device = world.device("a", {
    network: (send) => async (url, init) =>
      isBusy && init.method !== "GET" && !url.includes("oauth2") ? busy() : between(send)(url, init),
  });
  await ok(device.client.signIn(partner));
  await device.client.sync();
  const manners = {
    withdrawn: async () => {},
    "narrowed to names and towns": (at: World) =>
      grant(at, { fieldAccess: "custom", fields: ["name", "address.city", "meta"] }),
  };
  return {
    ...{ world, device, manners },
    narrow: async (manner: keyof typeof manners, at = world) => {
      await manners[manner](at);
      await ok(at.view.consents.revoke(whole.id));
    },
    widen: (at = world) => grant(at, { fieldAccess: "all" }),
    busy: (is: boolean) => {
      isBusy = is;
    },
  };
}

/** A guest's tablet with a request of no outcome, to which the news has come that less is shown. */
async function createSending(manner: "withdrawn" | "narrowed to names and towns") {
  const { world, device, ...guest } = await createGuest();
  await edit(device, rename("Reyes"));
  guest.busy(true);
  await device.client.sync();
  await guest.narrow(manner);
  for (let run = 0; run < 3; run++) {
    world.pass(4 * 3_600_000);
    await device.client.sync();
  }
  expect(device.client.status.current).toMatchObject({ sending: 1, parked: 0 });
  /** All of it is shown again, and everything goes out. */
  const arrive = async () => {
    guest.busy(false);
    await guest.widen();
    for (let day = 0; day < 3; day++) {
      world.pass(25 * 3_600_000);
      await device.client.sync();
    }
    expect(device.client.status.current).toMatchObject({ pending: 0, sending: 0, parked: 0 });
  };
  return { world, device, arrive };
}

async function saidOf({ client }: Device): Promise<string> {
  return JSON.stringify([await client.individuals.read(ana), await client.parked()]);
}

describe("what a consent hides is not shown any more", () => {
  const manners = ["withdrawn", "narrowed to names and towns"] as const;

  it.each(manners)("while a request has no outcome: %s", async (manner) => {
    const { world, device, arrive } = await createSending(manner);
    expect(await saidOf(device)).not.toContain(secret);
    expect(await saidOf(device)).toContain("Reyes");
    const { data } = await ok(device.client.individuals.search({}));
    expect(JSON.stringify(data)).not.toContain(secret);
    // What is typed now is typed beside what is hidden, and takes nothing of it away.
    await edit(device, rename("Santos"));
    expect(await saidOf(device)).not.toContain(secret);
    await arrive();
    const there = await ok(world.view.individuals.read(`${system}|ANA`));
    expect(there).toMatchObject({ name: { family: "Santos" }, telecom: [{ value: secret }] });
    expect(there.address).toMatchObject([{ line: [secret] }]);
  });

  it("and what is made of the rest of it while a request has no outcome is sent", async () => {
    const { world, device, arrive } = await createSending("narrowed to names and towns");
    const townOf = async () => (await ok(device.client.individuals.read(ana))).record.address;
    expect(await townOf()).toEqual([{ city: "Naga" }]);
    await edit(device, (draft) => {
      draft.address = [{ city: "Imus" }, { city: "Bacoor" }] as NonNullable<typeof draft.address>;
    });
    expect(await townOf()).toMatchObject([{ city: "Imus" }, { city: "Bacoor" }]);
    await edit(device, (draft) => {
      draft.address = [];
    });
    expect((await townOf()) ?? []).toEqual([]);
    await arrive();
    const there = await ok(world.view.individuals.read(`${system}|ANA`));
    expect(there.address ?? []).toEqual([]);
    expect(there).toMatchObject({ name: { family: "Reyes" }, telecom: [{ value: secret }] });
  });

  it("nor told where a person is registered who may be the same", async () => {
    const { device } = await createSending("withdrawn");
    const alike = { identifier: [{ system, value: "ANA" }], name: { family: "Reyes" } };
    const found = await ok(device.client.findSimilar(alike));
    expect(found).toHaveLength(1);
    expect(JSON.stringify(found)).not.toContain(secret);
  });

  it("beside a conflict: of an item that nobody changed, the parts that the other copy hides", async () => {
    const { world, device, ...guest } = await createGuest();
    await edit(device, rename("Reyes"));
    await ok(world.view.individuals.patch(`${system}|ANA`, { name: { family: "Santos" } }, { ifMatch: "*" }));
    await guest.narrow("narrowed to names and towns");
    await device.client.sync();
    expect(await device.client.parked()).toMatchObject([{ reason: "conflict" }]);
    expect(await saidOf(device)).not.toContain(secret);
    expect(await saidOf(device)).toContain("Naga");
    const [{ revision = "" } = {}] = await device.client.parked();
    const choices = { "/name/family": "ours" } as const;
    await ok(device.client.resolve(ana, { kind: "choose", revision, choices }));
    await device.client.sync();
    expect(device.client.status.current).toMatchObject({ pending: 0, parked: 0 });
    const there = await ok(world.view.individuals.read(`${system}|ANA`));
    expect(there).toMatchObject({ name: { family: "Reyes" }, telecom: [{ value: secret }] });
    expect(there.address).toMatchObject([{ city: "Naga", line: [secret] }]);
  });

  it.each([
    { how: "beside a conflict", isBusy: false, manner: "narrowed to names and towns" },
    { how: "while a request has no outcome", isBusy: true, manner: "narrowed to names and towns" },
    { how: "beside unsent work", isBusy: false, manner: "withdrawn" },
  ] as const)("by a server that does not say what it shows, $how", async ({ isBusy, manner }) => {
    const { world, device, ...guest } = await createGuest(plain);
    await edit(device, rename("Reyes"));
    guest.busy(isBusy);
    if (isBusy) await device.client.sync();
    if (manner !== "withdrawn")
      await ok(
        world.view.individuals.patch(`${system}|ANA`, { name: { family: "Santos" } }, { ifMatch: "*" }),
      );
    await guest.narrow(manner);
    for (let run = 0; run < 6; run++) {
      world.pass(25 * 3_600_000);
      await device.client.sync();
    }
    const shown = await saidOf(device);
    expect(shown).toContain("Reyes");
    expect(shown).not.toContain(secret);
  });

  it.each([
    { how: "unsent", isSent: false, swap: false },
    { how: "unsent, and put away for a colleague", isSent: false, swap: true },
    { how: "accepted, and lost with the restore", isSent: true, swap: false },
    { how: "sent, and of no outcome", isSent: true, swap: false, isBusy: true },
    {
      how: "unsent, where the question whether it is there had no answer at first",
      isSent: false,
      swap: false,
      isLost: true,
    },
  ])(
    "by a restored server, of a record with work that is $how",
    async ({ isSent, swap, isBusy = false, isLost = false }) => {
      let asked = 0;
      const losing =
        (send: Fetch): Fetch =>
        async (url, init) => {
          if (isLost && init.method === "GET" && url.includes("ANA") && ++asked === 2)
            throw new TypeError("lost");
          return send(url, init);
        };
      const { world, device, ...guest } = await createGuest(losing);
      const older = structuredClone(world.medium);
      await edit(device, rename("Reyes"));
      await edit(device, call("0917"));
      guest.busy(isBusy);
      if (isSent) await device.client.sync();
      guest.busy(false);
      const now = await restoredFrom(older);
      if (swap) await ok(device.client.signIn(credentials));
      world.moveTo(now);
      await guest.narrow("withdrawn", now);
      await ok(device.client.signIn(partner));
      for (let run = 0; run < 3; run++) await device.client.sync();
      expect(await device.client.parked()).toMatchObject([{ reason: "gone" }]);
      const shown = await saidOf(device);
      expect(shown).not.toContain(secret);
      expect(shown).toContain("Reyes");
      expect(shown).toContain("0917");
      expect(asked > 0).toBe(isLost);
      // Whoever is given the number then is somebody else.
      const cara = {
        type: "Individual",
        identifier: [{ system, value: "ANA" }],
        name: { family: "Diaz", given: "Cara" },
      };
      await ok(
        now.view.individuals.patch(
          `${system}|ANA`,
          { identifier: [{ system, value: "LUZ" }] },
          { ifMatch: "*" },
        ),
      );
      await ok(now.view.individuals.create({ ...cara, birthDate: "2001-02-03" }));
      await guest.widen(now);
      for (let run = 0; run < 2; run++) await device.client.sync();
      expect(await device.client.parked()).toMatchObject([{ reason: "duplicate" }]);
      expect(await ok(now.view.individuals.read(`${system}|ANA`))).toMatchObject({ name: cara.name });
      expect(await ok(now.view.individuals.read(`${system}|ANA`))).not.toHaveProperty("telecom");
    },
  );

  it("by a restored server, of somebody who was made here: what the office has added", async () => {
    const { world, device } = await createGuest();
    const born = { identifier: [{ system, value: "EVA" }], name: { family: "Lim" }, birthDate: "1990-01-01" };
    await ok(device.client.individuals.create(born));
    await device.client.sync();
    const eva = `Individual/${system}|EVA`;
    const terms = { subject: { reference: eva }, grantee: { organization: "Aid" } };
    const { id } = await ok(
      world.view.consents.grant({ ...terms, scope: [{ resourceType: "Individual", fieldAccess: "all" }] }),
    );
    const phone = { telecom: [{ system: "phone", value: secret }] };
    await ok(world.view.individuals.patch(`${system}|EVA`, phone, { ifMatch: "*" }));
    await device.client.sync();
    expect((await ok(device.client.individuals.read(eva))).record).toMatchObject(phone);
    const now = await restoredFrom(structuredClone(world.medium));
    world.moveTo(now);
    await ok(now.view.consents.revoke(id));
    await ok(device.client.signIn(partner));
    for (let run = 0; run < 3; run++) await device.client.sync();
    expect(
      JSON.stringify([await device.client.individuals.read(eva), await device.client.parked()]),
    ).not.toContain(secret);
    expect(await ok(now.view.individuals.read(`${system}|EVA`))).toMatchObject(phone);
  });
});
