import type { Group } from "@fieldroll/core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { openGate } from "./stage/gate.ts";
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
  /** Of the tablet's clock, in milliseconds, from the next load of the app on. */
  let skew = 0;
  let isReachable = true;

  beforeEach(async () => {
    skew = 400 * day;
    isReachable = true;
    const gate = async (server: number) => {
      const opened = await openGate(server, ({ url = "" }, answer) => {
        if (/^\/(api|oauth2)/.test(url) && !isReachable) {
          answer.destroy();
          return true;
        }
        if (!/^\/assets\/.*\.js$/.test(url)) return false;
        const asked = fetch(`http://127.0.0.1:${server}${url}`).then(async (real) => {
          answer.setHeader("Content-Type", "text/javascript");
          // What the browser keeps would bring the former clock back.
          answer.setHeader("Cache-Control", "no-store");
          answer.end(`${ahead(skew)}\n${await real.text()}`);
        });
        asked.catch(() => answer.destroy());
        return true;
      });
      close = () => opened.close();
      const address = opened.address();
      return typeof address === "object" && address ? address.port : 0;
    };
    scene = await openScene({ name: "wrong-clock", executablePath, height: 1_200, gate });
    await scene.signIn("area:PH/Cavite");
  });
  afterEach(async () => {
    await scene?.close();
    close();
  });

  const main = () => scene.device.page().locator("main");
  const card = () => main().getByRole("group", { name: "Person 1", exact: true });
  const registered = async (family: string) => {
    await scene.on.open("#/register");
    await main().getByLabel("Household name", { exact: true }).fill(`${family} household`);
    await card().getByLabel("Family name").fill(family);
    await card().getByLabel("An estimate").check();
    await card().getByLabel("Age in years, or year of birth").fill("30");
    await scene.on.press("Register household");
  };
  const today = () => new Date().toLocaleDateString("sv");
  const inWords = () =>
    new Date().toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });

  it("stores the right year for an age, and the right day for a new member", async () => {
    await registered("Clockmaker");
    await main().getByRole("heading", { name: "Clockmaker household" }).waitFor();
    await main().getByRole("link", { name: "Add a member" }).click();
    await main().getByLabel("A new person").check();
    await main().getByLabel("Family name").fill("Apprentice");
    await main().getByLabel("Nothing").check();
    await main().getByLabel("Role in the household").selectOption("child");
    await scene.on.press("Add to household");
    await scene.on.shown(/^Apprentice/);
    await scene.on.syncNow();
    const { data } = await scene.office.get<{ data: Group[] }>("/Group?name=Clockmaker&limit=5");
    const [first, second] = data[0]?.member ?? [];
    const person = await scene.office.get<{ birthDate: string }>(`/${first?.entity.reference}`);
    expect(person.birthDate.slice(0, 4)).toBe(String(new Date().getFullYear() - 30));
    expect(second?.period?.start).toBe(today());
  });

  it("asks before it saves, once the clock was set and no server has said whether it is right", async () => {
    await scene.on.syncNow();
    skew = 0;
    isReachable = false;
    await scene.device.page().reload();
    await registered("Watchmaker");
    const question = main().getByRole("group", { name: "Is this day right?" });
    await question.waitFor();
    expect(await main().getByRole("alert").textContent()).toContain(inWords());
    await scene.on.press("Register household");
    await question.waitFor();
    await question.getByLabel(`Yes, today is ${inWords()}`).check();
    await scene.on.press("Register household");
    await main().getByRole("heading", { name: "Watchmaker household" }).waitFor();
  });
});
