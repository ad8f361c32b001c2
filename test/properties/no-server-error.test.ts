import fc from "fast-check";
import { describe, it } from "vitest";
import { ana, consentWorld } from "../contract/consent-world.ts";
import { stores } from "../contract/fixture.ts";
import type { World } from "../contract/world.ts";
import { check } from "./check.ts";
import { type Asked, arbitraryRequest, type Pools } from "./requests.ts";
import { sendAll } from "./send.ts";
import { checkSound } from "./sound.ts";

const nobody = "0190a6b0-0000-7000-8000-000000000000";

const pools: Pools = {
  people: ["1", "2", "3", "new1", "n%65w1", "a,b/50%25"],
  groups: ["home", "new1", "n%65w1"],
  memberships: ["ana", "home", "new1", "n%65w1"],
  fresh: ["new1", "n%65w1", "1", "A|B", "a,b/50%25", "a,b/50%"],
  taken: "1",
  keys: [nobody, "none"],
  consents: [nobody, "none"],
};

const runs: Readonly<Record<string, number>> = { memory: 60, SQLite: 20 };

type Step = readonly [client: string, asked: Asked];

const sequences: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.tuple(fc.constantFrom("ministry", "ngo"), arbitraryRequest(pools)),
  { minLength: 1, maxLength: 12 },
);

/** Throws at the first answer that says that the service failed. */
async function play(world: World, sequence: readonly Step[]): Promise<void> {
  for (const [client, asked] of sequence) {
    for (const { status, body } of await sendAll(world, client, asked)) {
      if (status >= 500) throw new Error(JSON.stringify({ asked, status, body }));
    }
  }
}

describe.each(stores)("on %s", (name, open) => {
  it("no sequence of requests makes the service fail, or its store unsound", {
    timeout: 180_000,
  }, async () => {
    const property = fc.asyncProperty(sequences, fc.boolean(), async (sequence, consented) => {
      const world = await consentWorld(open);
      if (consented) await world.grant({ subject: ana, organization: "Helpers", extensions: ["farmer"] });
      await play(world, sequence);
      await checkSound(world);
      await world.store.close();
    });
    await check(`no-server-error ${name}`, property, { runs: runs[name] ?? 20 });
  });
});
