import type { Group } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { openScene, type Scene } from "./stage/scene.ts";

const soon = { timeout: 30_000 };

describeInChromium("A person whom the office and a tablet move to two households", (executablePath) => {
  let scene: Scene;
  let homes: readonly Group[] = [];
  const referenceOf = ({ identifier: [one] }: Group) => `Group/${one?.system}|${one?.value}`;

  beforeAll(async () => {
    scene = await openScene({ name: "two-households", executablePath, height: 1_200 });
    const { data } = await scene.office.get<{ data: Group[] }>("/Group?groupType=household&limit=50");
    homes = data.filter(({ member = [], address }) => member.length > 0 && address?.[0]?.state === "Cavite");
    await scene.signIn("area:PH/Cavite");
  });
  afterAll(() => scene?.close());

  it("asks once, with the person’s name and both households", async () => {
    const [first, second] = homes;
    if (!first || !second) throw new Error("The demonstration has too few households.");
    const page = scene.device.page();
    const main = page.locator("main");
    const made = await scene.office.post<{ identifier: { system: string; value: string }[] }>("/Individual", {
      type: "Individual",
      identifier: [{ system: "urn:test:nid", value: "wanderer" }],
      name: { given: "Wanda", family: "Wanderer" },
      address: first.address,
    });
    const person = `Individual/${made.identifier[0]?.system}|${made.identifier[0]?.value}`;
    await scene.on.syncNow();
    await scene.device.goOffline();
    await scene.on.open(`#/add-member/${encodeURIComponent(referenceOf(second))}`);
    await main.getByLabel("Find the person by name or identifier").fill("Wanda Wanderer");
    await main.getByRole("radio", { name: /Wanda Wanderer/ }).check();
    await main.getByLabel("Role in the household").selectOption("other_relative");
    await scene.on.press("Add to household");
    // Where it was saved, the household is shown; until then a press elsewhere would be overtaken by that.
    await page.waitForURL((url) => !url.hash.includes("add-member"));
    const now = await scene.office.get<Group>(`/${referenceOf(first)}`);
    const member = [...(now.member ?? []), { entity: { reference: person } }];
    await scene.office.put(`/${referenceOf(first)}`, { member });
    await scene.device.goOnline();
    await scene.on.open("#/sync");
    await scene.on.press("Sync now");
    await main.getByText("Not accepted").first().waitFor(soon);
    await page.goto(`${scene.device.address}#/decide/${encodeURIComponent(referenceOf(second))}`);
    const words = main.getByText(/You put Wanda Wanderer into/);
    await words.waitFor(soon);
    expect(await words.textContent()).toContain(first.name);
    expect(await words.textContent()).toContain(second.name);
    await scene.device.picture("conflict");
  });
});
