import { describe, expect, it } from "vitest";
import { ok, system } from "./support/people.ts";
import { ana, call, edit, rename } from "./support/restored.ts";
import { createWorld, credentials, type Device, partner, restoredFrom, type World } from "./support/world.ts";

const secret = "12 Secret street";
const busy = () => new Response("busy", { status: 503 });

/** A tablet whose user consents bind, with Ana on it, shown whole; and what can be made of that consent. */
async function createGuest() {
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
      isBusy && init.method !== "GET" && !url.includes("oauth2") ? busy() : send(url, init),
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
    widen: () => grant(world, { fieldAccess: "all" }),
    busy: (is: boolean) => {
      isBusy = is;
    },
  };
}

async function saidOf({ client }: Device): Promise<string> {
  return JSON.stringify([await client.individuals.read(ana), await client.parked()]);
}

describe("what a consent hides is not shown any more", () => {
  const manners = ["withdrawn", "narrowed to names and towns"] as const;

  it.each(manners)("while a request has no outcome: %s", async (manner) => {
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
    expect(await saidOf(device)).not.toContain(secret);
    expect(await saidOf(device)).toContain("Reyes");
    const { data } = await ok(device.client.individuals.search({}));
    expect(JSON.stringify(data)).not.toContain(secret);
    // What is typed now is typed beside what is hidden, and takes nothing of it away.
    await edit(device, rename("Santos"));
    expect(await saidOf(device)).not.toContain(secret);
    guest.busy(false);
    await guest.widen();
    for (let day = 0; day < 3; day++) {
      world.pass(25 * 3_600_000);
      await device.client.sync();
    }
    expect(device.client.status.current).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    const there = await ok(world.view.individuals.read(`${system}|ANA`));
    expect(there).toMatchObject({ name: { family: "Santos" }, telecom: [{ value: secret }] });
    expect(there.address).toMatchObject([{ line: [secret] }]);
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
    { how: "unsent", isSent: false, swap: false },
    { how: "unsent, and put away for a colleague", isSent: false, swap: true },
    { how: "accepted, and lost with the restore", isSent: true, swap: false },
  ])("by a restored server, of a record with work that is $how", async ({ isSent, swap }) => {
    const { world, device, ...guest } = await createGuest();
    const older = structuredClone(world.medium);
    await edit(device, rename("Reyes"));
    await edit(device, call("0917"));
    if (isSent) await device.client.sync();
    const now = await restoredFrom(older);
    if (swap) await ok(device.client.signIn(credentials));
    world.moveTo(now);
    await guest.narrow("withdrawn", now);
    await ok(device.client.signIn(partner));
    for (let run = 0; run < 3; run++) await device.client.sync();
    expect(await device.client.parked()).toMatchObject([{ reason: "gone" }]);
    const shown = await saidOf(device);
    expect(shown).not.toContain('Secret street"]');
    expect(shown).toContain("Reyes");
    expect(shown).toContain("0917");
  });
});
