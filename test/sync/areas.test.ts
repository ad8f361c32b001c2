import { beforeEach, describe, expect, it } from "vitest";
import { picture } from "../picture.ts";
import { asOffice, run } from "./support/files.ts";
import { answer, ok, personOf, refusal, system } from "./support/people.ts";
import { ana, call, edit } from "./support/restored.ts";
import { createWorld, credentials, type Device, restoredFrom, type World } from "./support/world.ts";

const photo = picture("mine".padEnd(24, "."));
const [cavite, laguna] = ["area:PH/Cavite", "area:PH/Laguna"];
const hour = 3_600_000;

describe.each([
  ["reads before the one that is joined", [cavite, laguna]],
  ["reads after it", [laguna, cavite]],
])("somebody who leaves an area of a tablet, which it %s", (_, feeds) => {
  let world: World;
  let tablet: Device;
  /** What comes between the tablet and a feed. */
  let meet: (feed: string) => Promise<Response | null>;

  const move = (city: string) =>
    asOffice(world, { address: [{ type: "physical", state: city, country: "PH" }] });
  const isHere = async () => (await tablet.client.individuals.read(ana)).ok;
  const kept = async () => {
    const { record } = await ok(tablet.client.individuals.read(ana));
    return [record.photo, tablet.medium.collections.get("accepted")?.size];
  };
  const forbidden = () => answer(403, refusal(403, "authorization").body, "application/problem+json");

  beforeEach(async () => {
    world = await createWorld();
    meet = async () => null;
    await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    await move("Cavite");
    tablet = world.device("a", {
      feeds,
      network: (send) => async (url, init) => {
        const feed = new URL(url).searchParams.get("feed");
        return (feed !== null && (await meet(feed))) || send(url, init);
      },
    });
    await ok(tablet.client.signIn(credentials));
    await run(tablet, 1);
    await edit(tablet, (draft) => {
      call("1")(draft);
      draft.photo = photo;
    });
    await run(tablet, 1);
  });

  it("stays with what was accepted, for a server that is restored, where another area of it is joined", async () => {
    const backup = structuredClone(world.medium);
    const phone = { system: "phone", value: "2" } as const;
    await edit(tablet, (draft) => void draft.telecom?.push(phone));
    await run(tablet, 1);
    await move("Laguna");
    await run(tablet, 1);
    expect(await kept()).toEqual([photo, 1]);
    const later = await restoredFrom(backup);
    world.moveTo(later);
    await ok(tablet.client.signIn(credentials));
    await run(tablet, 2);
    expect((await ok(later.view.individuals.read(`${system}|ANA`))).telecom).toContainEqual(phone);
  });

  it("stays where the tablet dies before the other area is read", async () => {
    await move("Laguna");
    meet = (feed) => (feed === laguna ? Promise.reject(new TypeError("cut")) : Promise.resolve(null));
    await run(tablet, 1);
    tablet.kill();
    meet = async () => null;
    await run(tablet, 1);
    expect(await kept()).toEqual([photo, 1]);
  });

  it("stays where that happens while they are read", async () => {
    let isMoved = false;
    meet = async (feed) => {
      if (feed === feeds[1] && !isMoved) {
        isMoved = true;
        await move("Laguna");
      }
      return null;
    };
    await run(tablet, 2);
    expect(await kept()).toEqual([photo, 1]);
  });

  it("goes at once, with all that was kept, where no other is joined", async () => {
    await move("Batangas");
    await run(tablet, 1);
    expect([await isHere(), tablet.medium.collections.get("accepted")?.size]).toEqual([false, 0]);
  });

  it("goes at once where the record is archived", async () => {
    await asOffice(world, { active: false });
    const seen: [string, boolean][] = [];
    meet = async (feed) => {
      seen.push([feed, await isHere()]);
      return null;
    };
    await run(tablet, 1);
    expect(seen).toEqual(feeds.map((feed, i) => [feed, i === 0 || feeds[0] === laguna]));
    expect(await isHere()).toBe(false);
  });

  it("goes where another area is refused for good, and stays while nobody knows", async () => {
    await move("Batangas");
    meet = async (feed) => (feed === laguna ? forbidden() : null);
    await run(tablet, 1);
    expect(await isHere()).toBe(true);
    world.pass(hour + 1);
    await ok(tablet.client.signIn(credentials));
    await run(tablet, 1);
    expect(await isHere()).toBe(false);
  });
});
