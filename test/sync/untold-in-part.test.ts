import { expect, it } from "vitest";
import { createGuest, custom, everything } from "./support/guest.ts";
import { ok } from "./support/people.ts";
import { partner, restoredFrom } from "./support/world.ts";

/**
 * Once, all of her stayed on the tablet for good: the server told by her key that she was there, and what it showed of her, without her key
 * (which is hidden with `meta`), counted as nobody's.
 */
it.each([
  ["name", "arrived before the backup"],
  ["name", "was lost with the restore"],
  ["birthDate", "arrived before the backup"],
  ["birthDate", "was lost with the restore"],
])(
  "of one whom no feed here tells of after a restore, only her %s is kept, and followed day by day, where an edit %s",
  async (shown, what) => {
    const address = [{ type: "physical", country: "PH", state: "Cavite", city: "HIDDEN" }];
    const telecom = [{ system: "phone", value: "HERS" }];
    const guest = await createGuest({
      feeds: ["area:PH/Cavite"],
      record: { birthDate: "1980-08-08", address, telecom },
    });
    const { world, client, sync, show, ana } = guest;
    const before = structuredClone(world.medium);
    await guest.edit((draft) => {
      draft.telecom = [...(draft.telecom ?? []), { system: "phone", value: "MINE" }];
    });
    await sync();
    const now = await restoredFrom(what.includes("lost") ? before : structuredClone(world.medium));
    now.pass(100 * 3_600_000);
    await show(custom(shown), now);
    now.pass(3_600_000);
    world.moveTo(now);
    await ok(client.signIn(partner));
    await sync();
    const members = async () => Object.keys((await ok(client.individuals.read(ana))).record);
    expect(await members()).toEqual(["type", "identifier", shown]);
    expect(client.status.current.awaitingConsent.records).toBe(1);

    const nextDay = async (scope: Parameters<typeof show>[0]) => {
      await show(scope, now);
      now.pass(26 * 3_600_000);
      await sync(2, 26);
    };
    await nextDay(custom("gender", "active"));
    expect(await members()).toEqual(["type", "identifier", "active"]);
    await nextDay(everything);
    const phones = (await guest.there(now)).telecom?.map(({ value }) => value);
    expect(phones).toEqual(["HERS", "MINE"]);
    expect(await members()).toContain("address");
    expect(client.status.current.awaitingConsent.records).toBe(0);
    await nextDay(null);
    expect(await client.individuals.read(ana)).toMatchObject({ ok: false, problem: { kind: "not-found" } });
  },
);
