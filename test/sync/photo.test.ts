import { type Outcome, unwrap } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { createWorld, credentials, type World } from "./support/world.ts";

const system = "urn:test:national";
const ana = `Individual/${system}|ANA`;
/** PNGs as far as anybody looks: the signature, and something of their own. */
const photo = (name: string) => `data:image/png;base64,${btoa(`\x89PNG\r\n\x1a\n${name.padEnd(24, ".")}`)}`;

async function ok<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  return unwrap(await outcome);
}

describe("a photo", () => {
  let world: World;

  beforeEach(async () => {
    world = await createWorld();
    const identifier = [{ system, value: "ANA" }];
    await ok(world.view.individuals.create({ type: "Individual", identifier, name: { given: "Ana" } }));
  });

  async function ready(name: string) {
    const { client } = world.device(name);
    await ok(client.signIn(credentials));
    await client.sync();
    const take = (taken: string) =>
      ok(
        client.individuals.update(ana, (draft) => {
          draft.photo = photo(taken);
        }),
      );
    return { client, take };
  }
  const onServer = async () => (await ok(world.view.individuals.read(`${system}|ANA`))).photo;

  it("goes out when nobody else took one, and again when it is taken anew", async () => {
    const { client, take } = await ready("a");
    for (const name of ["first", "second"]) {
      await take(name);
      expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
      expect(await onServer()).toBe(photo(name));
    }
  });

  it("never replaces one that was not seen: the person is asked", async () => {
    const [a, b] = [await ready("a"), await ready("b")];
    await a.take("of a");
    await a.client.sync();
    await b.client.sync();
    await b.take("of b");
    expect(await b.client.sync()).toMatchObject({ parked: 1 });
    expect(await onServer()).toBe(photo("of a"));
    const [parked] = await b.client.parked();
    expect(parked?.conflicts).toMatchObject([{ path: "/photo", ours: photo("of b"), theirs: photo("of a") }]);
    const choices = { "/photo": "ours" } as const;
    await ok(b.client.resolve(ana, { kind: "choose", revision: parked?.revision ?? "", choices }));
    expect(await b.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect(await onServer()).toBe(photo("of b"));
    await a.take("of a again");
    expect(await a.client.sync()).toMatchObject({ parked: 1 });
    expect(await onServer()).toBe(photo("of b"));
  });
});
