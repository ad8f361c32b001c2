import type { Group } from "@fieldroll/core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { openScene, type Scene } from "./stage/scene.ts";

const day = 24 * 60 * 60 * 1_000;

/** Sets the clock of a page, or of a worker, so many milliseconds ahead. */
const ahead = (by: number) => `{
  const Real = Date;
  const now = () => Real.now() + ${by};
  globalThis.Date = class extends Real {
    constructor(...given) { given.length === 0 ? super(now()) : super(...given); }
    static now() { return now(); }
  };
}`;

describeInChromium("A tablet whose clock is 400 days ahead", (executablePath) => {
  let scene: Scene;
  let close: () => void = () => undefined;

  beforeEach(async () => {
    const { openGate } = await import("./stage/gate.ts");
    const gate = async (server: number) => {
      const opened = await openGate(server, ({ url = "" }, answer) => {
        if (!/^\/assets\/.*\.js$/.test(url)) return false;
        void fetch(`http://127.0.0.1:${server}${url}`).then(async (real) => {
          answer.setHeader("Content-Type", "text/javascript");
          answer.end(`${ahead(400 * day)}\n${await real.text()}`);
        });
        return true;
      });
      close = () => opened.close();
      const address = opened.address();
      return typeof address === "object" && address ? address.port : 0;
    };
    scene = await openScene({ name: "wrong-clock", executablePath, height: 1_200, gate });
  });
  afterEach(async () => {
    await scene?.close();
    close();
  });

  it("stores the right year for an age, and the right day for a membership, once the server has told its time", async () => {
    await scene.signIn("area:PH/Cavite");
    const page = scene.device.page();
    const main = page.locator("main");
    await scene.on.open("#/register");
    await main.getByLabel("Household name", { exact: true }).fill("Clockmaker household");
    const card = main.getByRole("group", { name: "Person 1", exact: true });
    await card.getByLabel("Family name").fill("Clockmaker");
    await card.getByLabel("An estimate").check();
    await card.getByLabel("Age in years, or year of birth").fill("30");
    await scene.on.press("Register household");
    await main.getByRole("heading", { name: "Clockmaker household" }).waitFor();
    await scene.on.syncNow();
    const { data } = await scene.office.get<{ data: Group[] }>("/Group?name=Clockmaker&limit=5");
    const [member] = data[0]?.member ?? [];
    expect(member?.period?.start?.slice(0, 10)).toBe(new Date().toISOString().slice(0, 10));
    const person = await scene.office.get<{ birthDate: string }>(`/${member?.entity.reference}`);
    expect(person.birthDate.slice(0, 4)).toBe(String(new Date().getFullYear() - 30));
  });
});
