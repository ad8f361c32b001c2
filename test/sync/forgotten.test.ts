import { describe, expect, it } from "vitest";
import { archive, other } from "./support/files.ts";
import { ok, personOf, system } from "./support/people.ts";
import { everybody, said } from "./support/restored.ts";
import { createWorld, credentials, type Device, partner, restoredFrom } from "./support/world.ts";

const ana = `Individual/${system}|ANA`;
const cruz = personOf("ANA", { family: "Cruz", given: "Ana" });

describe("what a device keeps of somebody whom it forgot while another person had it", () => {
  const kept = ({ medium }: Device) => medium.collections.get("accepted")?.size ?? 0;

  async function handedOver(device: Device, back: typeof credentials, meanwhile: () => Promise<unknown>) {
    await ok(device.client.signIn(other));
    await device.client.sync();
    await meanwhile();
    await ok(device.client.signIn(back));
    await device.client.sync();
  }

  it.each([
    {
      name: "goes where the person was archived, and nobody is registered again",
      isArchived: true,
      left: [],
    },
    { name: "stays where the person is there, whom no feed tells", isArchived: false, left: ["Cruz"] },
  ])("$name", async ({ isArchived, left }) => {
    const world = await createWorld();
    const backup = structuredClone(world.medium);
    const device = world.device("a", { feeds: ["area:PH/Cavite"] });
    await ok(device.client.signIn(credentials));
    await ok(device.client.individuals.create(cruz));
    await device.client.sync();
    await handedOver(device, credentials, async () => isArchived && (await archive(world, ana)));
    expect(kept(device)).toBe(left.length);
    const now = await restoredFrom(backup);
    world.moveTo(now);
    await ok(device.client.signIn(credentials));
    for (let times = 0; times < 2; times++) await device.client.sync();
    expect((await everybody(now.view)).map(said)).toEqual(left);
  });

  it("goes where consent was withdrawn", async () => {
    const world = await createWorld();
    await ok(world.view.individuals.create(cruz));
    const terms = { subject: { reference: ana }, grantee: { organization: "Aid" } };
    const scope = [{ resourceType: "Individual", fieldAccess: "all" }];
    const { id } = await ok(world.view.consents.grant({ ...terms, scope }));
    const device = world.device("a");
    await ok(device.client.signIn(partner));
    await device.client.sync();
    await ok(
      device.client.individuals.update(
        ana,
        (draft) => void Object.assign(draft, { birthDate: "1990-01-01" }),
      ),
    );
    await device.client.sync();
    expect(kept(device)).toBe(1);
    await handedOver(device, partner, () => ok(world.view.consents.revoke(id)));
    expect(kept(device)).toBe(0);
  });
});
