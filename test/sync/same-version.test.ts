import type { Fetch } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { asOffice, run } from "./support/files.ts";
import { ok, personOf, settled, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { ana, call, edit, said } from "./support/restored.ts";
import { createWorld, credentials, type Device, restoredFrom, type World } from "./support/world.ts";

describe("a plain server that was restored, and has gone on to the version that a tablet knows", () => {
  let world: World;
  let tablet: Device;
  /** What becomes of a record that is fetched. */
  let told: (record: Record<string, unknown>) => Record<string, unknown>;

  beforeEach(async () => {
    world = await createWorld();
    told = (record) => record;
    await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    const network =
      (send: Fetch): Fetch =>
      async (url, init) => {
        const response = await plain(send)(url, init);
        if (init.method !== "GET" || !url.includes("/Individual/")) return response;
        return Response.json(told(JSON.parse(await response.text())));
      };
    tablet = world.device("a", { network });
    await ok(tablet.client.signIn(credentials));
    await run(tablet, 1);
  });

  const born = (birthDate: string) => edit(tablet, (draft) => void Object.assign(draft, { birthDate }));

  /** The tablet's change is lost, and the office makes another one, which has its number. */
  async function replaced(patch: object): Promise<World> {
    const backup = structuredClone(world.medium);
    await born("1980-05-05");
    await run(tablet, 1);
    tablet.online = false;
    const later = await restoredFrom(backup);
    world.moveTo(later);
    world.pass(60_000);
    await asOffice(later, patch);
    return later;
  }

  async function goOn(): Promise<void> {
    tablet.online = true;
    await ok(tablet.client.signIn(credentials));
    await run(tablet, 2);
  }

  const there = ({ view }: World) => ok(view.individuals.read(ana.slice("Individual/".length)));

  it("keeps what the office said beside what the tablet says", async () => {
    const later = await replaced({ telecom: [{ system: "phone", value: "office" }] });
    await edit(tablet, call("tablet"));
    await goOn();
    expect(tablet.client.status.current).toMatchObject(settled);
    expect(said(await there(later))).toBe("Cruz office tablet");
  });

  it("asks a person where both say something else of the same", async () => {
    const later = await replaced({ name: { family: "Santos" } });
    await edit(tablet, (draft) => {
      draft.name.family = "Reyes";
    });
    await goOn();
    expect(await tablet.client.parked()).toMatchObject([
      { reason: "conflict", conflicts: [{ path: "/name/family", ours: "Reyes", theirs: "Santos" }] },
    ]);
    expect((await there(later)).name.family).toBe("Santos");
  });

  const patches = () => world.requests.filter((request) => request.startsWith("PATCH"));

  it.each([
    ["is the same", (record: object) => ({ ...record })],
    ["is told in part", ({ birthDate: _, ...record }: Record<string, unknown>) => record],
    ["has what its version does not count", (record: object) => ({ ...record, groupMembership: [] })],
  ])("is sent a change at once where what is there %s", async (_, shows) => {
    await born("1980-05-05");
    await run(tablet, 1);
    told = shows;
    await edit(tablet, call("tablet"));
    const from = world.requests.length;
    await run(tablet, 1);
    expect(tablet.client.status.current).toMatchObject(settled);
    expect(await there(world)).toMatchObject({ birthDate: "1980-05-05", telecom: [{ value: "tablet" }] });
    const own = world.requests.slice(from).filter((request) => request.includes(`Individual/${system}`));
    expect(own.map((request) => request.split(" ")[0])).toEqual(["GET", "PATCH"]);
  });

  it("is sent a change where it stamps a record anew each time that it is read", async () => {
    let nth = 0;
    told = (record) => {
      const lastUpdated = `2026-01-15T09:00:00.00${nth++}Z`;
      return { ...record, meta: { ...(record.meta as object), lastUpdated } };
    };
    await edit(tablet, call("tablet"));
    await run(tablet, 1);
    expect(tablet.client.status.current).toMatchObject(settled);
    expect(patches()).toHaveLength(1);
  });
});
