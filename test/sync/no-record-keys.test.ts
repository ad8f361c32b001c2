import type { Fetch } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { run, tabletOf } from "./support/files.ts";
import { answer, ok, personOf, refusal, system } from "./support/people.ts";
import { createWorld } from "./support/world.ts";

/** A server with feeds that does not know records' keys: it says nothing of them, and refuses the tag that has one. */
function keyless(refused: () => Response): (send: Fetch) => Fetch {
  return (send) => async (url, init) => {
    const isTagged = /"\d+\.[^"]+"/;
    const isNamed = isTagged.test(new Headers(init.headers).get("if-match") ?? "");
    const text = String(init.body ?? "");
    if (isNamed || /"ifMatch":"\\"\d+\./.test(text)) return refused();
    const given = await send(url, init);
    if (!url.endsWith("/metadata")) return given;
    const { features, ...rest } = JSON.parse(await given.text());
    const { conditionalWrite: _, ...others } = features;
    return answer(200, JSON.stringify({ ...rest, features: others }), "application/json");
  };
}

describe.each([
  ["a wrong request", () => answer(400, refusal(400, "bad-request").body, "application/problem+json")],
  ["a conflict", () => answer(409, refusal(409, "conflict").body, "application/problem+json")],
])("a server that takes a version named with a record's key for %s", (_, refused) => {
  const reference = (value: string) => `Individual/${system}|${value}`;

  async function ready() {
    const world = await createWorld();
    const numbers = ["N1", "N2", "N3"];
    for (const value of numbers) await ok(world.view.individuals.create(personOf(value, { given: value })));
    const tablet = await tabletOf(world, "a", { network: keyless(refused) });
    const born = (value: string) =>
      ok(
        tablet.client.individuals.update(reference(value), (draft) => {
          draft.birthDate = draft.birthDate ? "1990-06-06" : "1990-05-05";
        }),
      );
    const told = async () =>
      (await ok(world.view.individuals.search())).data.map(({ birthDate }) => birthDate ?? "");
    return { world, tablet, born, told, numbers };
  }

  it("gets an edit without it", async () => {
    const { tablet, born, told } = await ready();
    await born("N1");
    await run(tablet, 2);
    expect(tablet.client.status.current).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await told()).sort()).toEqual(["", "", "1990-05-05"]);
  });

  it("gets several together without it", async () => {
    const { tablet, born, told, numbers } = await ready();
    for (const value of numbers) await born(value);
    await run(tablet, 2);
    expect(tablet.client.status.current).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect(await told()).toEqual(["1990-05-05", "1990-05-05", "1990-05-05"]);
  });

  it.each([
    ["alone", ["N2"]],
    ["beside others", ["N1", "N2", "N3"]],
  ])("gets none for a number that is another person's by then, %s", async (_, edited) => {
    const { world, tablet, born } = await ready();
    await born("N1");
    await run(tablet, 1);
    for (const value of edited) await born(value);
    await ok(
      world.view.individuals.patch(
        `${system}|N2`,
        { identifier: [{ system, value: "N9" }] },
        { ifMatch: "*" },
      ),
    );
    await ok(world.view.individuals.create(personOf("N2", { family: "Bello", given: "Bea" })));
    await run(tablet, 2);
    const { birthDate } = await ok(world.view.individuals.read(`${system}|N2`));
    expect(birthDate).toBeUndefined();
  });
});
