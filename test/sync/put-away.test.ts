import { createMemoryStore } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { answer, ok, personOf, refusal, system } from "./support/people.ts";
import { call, createStory, edit, rename, type Story, shown, synced } from "./support/restored.ts";
import { credentials, type Device, type DeviceOptions } from "./support/world.ts";

const other = { ...credentials, clientId: "other" };
const passphrase = "correct horse battery";

describe("work that was put away before a server was restored", () => {
  let story: Story;
  let a: Device;
  let b: Device;
  let silent: boolean;

  const losing: DeviceOptions["network"] = (send) => async (url, init) => {
    const answer = await send(url, init);
    if (silent && init.method !== "GET") throw new TypeError("the answer is lost");
    return answer;
  };

  beforeEach(async () => {
    silent = false;
    story = await createStory();
    ({ b } = story);
    a = story.world.device("losing", { network: losing });
    await ok(a.client.signIn(credentials));
    await a.client.sync();
  });

  const asOffice = (family: string) =>
    ok(story.now.view.individuals.patch(`${system}|ANA`, { name: { family } }, { ifMatch: "*" }));

  /** What is not sent stands on a version that the restored server makes anew, with another name in it. */
  async function renamedUponLostVersion(): Promise<() => Promise<void>> {
    const older = story.backup();
    await asOffice("Diaz");
    await synced(a);
    a.online = false;
    await edit(a, rename("Reyes"));
    a.online = true;
    return async () => {
      await story.goBack(older);
      await asOffice("Santos");
    };
  }

  const expectConflict = async (device: Device) => {
    expect(await device.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 1 });
    expect(await story.told()).toEqual(["Santos"]);
    expect(await device.client.parked()).toMatchObject([
      { reason: "conflict", conflicts: [{ base: "Diaz", ours: "Reyes", theirs: "Santos" }] },
    ]);
  };

  it("replaces nothing that its tablet never saw, when its person comes back", async () => {
    const restore = await renamedUponLostVersion();
    await ok(a.client.signIn(other));
    await synced(a);
    await restore();
    await ok(a.client.signIn(other));
    await synced(a);
    await ok(a.client.signIn(credentials));
    await expectConflict(a);
  });

  it("replaces nothing that another tablet has read by then, when it comes in a file", async () => {
    const restore = await renamedUponLostVersion();
    const { file } = await ok(a.client.exportUnsent(passphrase));
    await restore();
    await ok(b.client.signIn(credentials));
    await synced(b);
    await ok(b.client.importUnsent(file, passphrase));
    await expectConflict(b);
  });

  it("replaces nothing where it was put away by a version of the app that did not note what it stands on", async () => {
    const restore = await renamedUponLostVersion();
    await ok(a.client.signIn(other));
    const store = createMemoryStore({ medium: a.medium });
    const { documents } = await store.query({ collection: "sealed", limit: 10 });
    const put = documents.map((document) => {
      const body = structuredClone(document.body) as { entry: { epoch?: string } };
      delete body.entry.epoch;
      return { ...document, version: document.version + 1, body };
    });
    await store.commit({ put });
    await restore();
    await ok(a.client.signIn(credentials));
    await expectConflict(a);
  });

  it("takes a request for none that the restored server has, and has its effect once", async () => {
    const older = story.backup();
    await asOffice("Diaz");
    await synced(a);
    silent = true;
    await edit(a, call("1"));
    await a.client.sync();
    silent = false;
    const { file } = await ok(a.client.exportUnsent(passphrase));
    await story.goBack(older);
    await asOffice("Santos");
    await ok(b.client.signIn(credentials));
    await synced(b);
    await ok(b.client.importUnsent(file, passphrase));
    await synced(b);
    expect(await story.told()).toEqual(["Santos 1"]);
  });

  it("keeps a request with its key where the server is the same, so that it has its effect once", async () => {
    silent = true;
    await edit(a, call("1"));
    await a.client.sync();
    silent = false;
    await ok(a.client.signIn(other));
    await ok(story.now.view.individuals.patch(`${system}|ANA`, { telecom: null }, { ifMatch: "*" }));
    await ok(a.client.signIn(credentials));
    await synced(a);
    expect(await story.told()).toEqual(["Cruz"]);
    expect(await shown(a)).toEqual(["Cruz"]);
  });

  it.each([
    ["sent", true],
    ["not sent", false],
  ])("does not take back what its new tablet did, and the server has lost since: %s", async (_, sent) => {
    const older = story.backup();
    b.online = false;
    await edit(b, call("1"));
    const { file } = await ok(b.client.exportUnsent(passphrase));
    await edit(a, call("8"));
    await synced(a);
    a.online = false;
    await ok(a.client.importUnsent(file, passphrase));
    a.online = true;
    if (sent) await synced(a);
    await story.goBack(older);
    await ok(a.client.signIn(credentials));
    await synced(a);
    expect((await story.told()).map((said) => said.split(" ").sort())).toEqual([["1", "8", "Cruz"]]);
  });

  it("waits with its content where the server lost the record, and is registered anew when a person says so", async () => {
    const older = story.backup();
    await ok(story.now.view.individuals.create(personOf("BEN", { family: "Diaz", given: "Ben" })));
    await synced(a);
    a.online = false;
    await edit(a, rename("Reyes"), `Individual/${system}|BEN`);
    a.online = true;
    const { file } = await ok(a.client.exportUnsent(passphrase));
    await story.restore(older);
    await synced(b);
    await ok(b.client.importUnsent(file, passphrase));
    expect(await b.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 1 });
    expect(await b.client.parked()).toMatchObject([{ reason: "gone", ours: { name: { family: "Reyes" } } }]);
    await ok(b.client.resolve(`Individual/${system}|BEN`, { kind: "retry" }));
    await synced(b);
    expect(await story.told()).toEqual(["Cruz", "Reyes"]);
  });
});

describe("work that was put away, and its feed", () => {
  let story: Story;
  let device: Device;
  let refusing: (url: string) => Response | null;

  const feeds: DeviceOptions["network"] = (send) => async (url, init) =>
    (url.includes("/$changes") && refusing(url)) || send(url, init);
  const problem = (status: number, kind: string) =>
    answer(status, refusal(status, kind).body, "application/problem+json");

  beforeEach(async () => {
    refusing = () => null;
    story = await createStory();
    device = story.world.device("c", { network: feeds });
    await ok(device.client.signIn(credentials));
    await device.client.sync();
    device.online = false;
    await edit(device, rename("Reyes"));
    device.online = true;
    await ok(device.client.signIn(other));
  });

  it("is sent before everything has been read anew", async () => {
    refusing = (url) =>
      url.includes("limit=1&") || url.endsWith("limit=1") ? null : problem(500, "internal");
    await ok(device.client.signIn(credentials));
    await device.client.sync();
    expect(await story.told()).toEqual(["Reyes"]);
  });

  it("is not sent while the server does not tell which state its data are in", async () => {
    refusing = () => problem(500, "internal");
    await ok(device.client.signIn(credentials));
    expect(await device.client.sync()).toMatchObject({ pending: 1 });
    expect(await story.told()).toEqual(["Cruz"]);
    refusing = () => null;
    await synced(device);
    expect(await story.told()).toEqual(["Reyes"]);
  });

  it("waits until what was accepted before was looked at, where the server was restored and its feed refused once", async () => {
    const older = story.backup();
    await ok(device.client.signIn(credentials));
    await synced(device);
    device.online = false;
    await edit(device, call("1"));
    device.online = true;
    await ok(device.client.signIn(other));
    await story.goBack(older);
    let times = 1;
    refusing = () => (times-- > 0 ? problem(403, "authorization") : null);
    await ok(device.client.signIn(credentials));
    for (let run = 0; run < 2; run++) await device.client.sync();
    expect(await story.told()).toEqual(["Reyes 1"]);
    expect(await shown(device)).toEqual(["Reyes 1"]);
  });

  it("is sent where the feed is refused for good, and meets the record first", async () => {
    refusing = () => problem(403, "authorization");
    await ok(device.client.signIn(credentials));
    await device.client.sync();
    expect(await story.told()).toEqual(["Reyes"]);
    expect(story.writes().map((write) => write.replace(/ .* /, " "))).toEqual(["PATCH 409", "PATCH 200"]);
  });
});
