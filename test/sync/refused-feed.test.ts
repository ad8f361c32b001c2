import { beforeEach, describe, expect, it } from "vitest";
import { answer, ok, refusal, system } from "./support/people.ts";
import { call, createStory, edit, rename, type Story, shown, synced } from "./support/restored.ts";
import { credentials, type Device, type DeviceOptions } from "./support/world.ts";

const hour = 3_600_000;

describe("a server that was restored, and a feed that is refused", () => {
  let story: Story;
  let device: Device;
  let refusing: () => boolean;

  const network: DeviceOptions["network"] = (send) => async (url, init) =>
    url.includes("/$changes") && refusing()
      ? answer(403, refusal(403, "authorization").body, "application/problem+json")
      : send(url, init);
  const once = (nth: number) => {
    let n = 0;
    refusing = () => ++n === nth;
  };
  const asOffice = (family: string) =>
    ok(story.now.view.individuals.patch(`${system}|ANA`, { name: { family } }, { ifMatch: "*" }));
  const offline = async (change: Parameters<typeof edit>[1]) => {
    device.online = false;
    await edit(device, change);
    device.online = true;
  };
  const start = async (feeds?: readonly string[]) => {
    device = story.world.device("c", { network, ...(feeds && { feeds }) });
    await ok(device.client.signIn(credentials));
    await device.client.sync();
  };
  /** What is not sent stands on a version that the restored server makes anew, with another name in it. */
  const renamedUponLostVersion = async () => {
    const older = story.backup();
    await asOffice("Diaz");
    await device.client.sync();
    await offline(rename("Reyes"));
    await story.goBack(older);
    await asOffice("Santos");
    await ok(device.client.signIn(credentials));
  };
  const expectConflict = async () => {
    expect(await story.told()).toContain("Santos");
    expect(await device.client.parked()).toMatchObject([
      { reason: "conflict", conflicts: [{ base: "Diaz", ours: "Reyes", theirs: "Santos" }] },
    ]);
  };

  beforeEach(async () => {
    refusing = () => false;
    story = await createStory();
  });

  it("is given again what it had accepted where a page is refused in the midst of it", async () => {
    await start();
    const older = story.backup();
    await edit(device, call("1"));
    await synced(device);
    await offline(call("3"));
    await story.goBack(older);
    await ok(device.client.signIn(credentials));
    once(2);
    for (let run = 0; run < 2; run++) await device.client.sync();
    expect(await story.told()).toEqual(["Cruz 1 3"]);
    expect(await shown(device)).toEqual(["Cruz 1 3"]);
  });

  it("has nothing overwritten that an office took back before the feed could be read", async () => {
    refusing = () => true;
    await start();
    const made = {
      active: true,
      identifier: [{ system, value: "BEN" }],
      name: { family: "Diaz", given: "Ben" },
    };
    const { reference } = await ok(device.client.individuals.create(made));
    await device.client.sync();
    await edit(device, call("wrong"), reference);
    await device.client.sync();
    expect(await story.told()).toContain("Diaz wrong");
    await ok(story.now.view.individuals.patch(`${system}|BEN`, { telecom: null }, { ifMatch: "*" }));
    refusing = () => false;
    story.world.pass(hour);
    await device.client.sync();
    await device.client.sync();
    expect(await story.told()).toContain("Diaz");
    expect(await device.client.parked()).toMatchObject([{ reason: "conflict" }]);
  });

  it("is not overwritten where its feed was refused once, so that it could not be told for another", async () => {
    await start();
    await renamedUponLostVersion();
    once(1);
    for (let run = 0; run < 2; run++) await device.client.sync();
    await expectConflict();
  });

  it("is not overwritten where its feed is refused for good, and is sent what it takes", async () => {
    await start();
    await renamedUponLostVersion();
    await ok(device.client.individuals.create({ name: { family: "Neu" } }));
    refusing = () => true;
    expect(await device.client.sync()).toMatchObject({ pending: 2 });
    story.world.pass(hour + 1);
    await device.client.sync();
    await expectConflict();
    expect(await story.told()).toEqual(["Neu", "Santos"]);
  });

  it("is told for another by any feed, and given back what it lost, where the first is always refused", async () => {
    await start(["nowhere", "all"]);
    const older = story.backup();
    await ok(device.client.individuals.create({ name: { family: "Neu" } }));
    await asOffice("Diaz");
    await device.client.sync();
    await offline(rename("Reyes"));
    await story.goBack(older);
    await asOffice("Santos");
    await ok(device.client.signIn(credentials));
    for (let run = 0; run < 2; run++) await device.client.sync();
    await expectConflict();
    expect(await story.told()).toEqual(["Neu", "Santos"]);
  });
});
