import { expect, it } from "vitest";
import { createGuest, custom } from "./support/guest.ts";
import { ok } from "./support/people.ts";
import { partner, restoredFrom } from "./support/world.ts";

type Guest = Awaited<ReturnType<typeof createGuest>>;

/** The server as it is restored from a backup of what it has, which the tablet has read anew. */
async function restored({ world, client, sync }: Guest) {
  const now = await restoredFrom(structuredClone(world.medium));
  now.pass(100 * 3_600_000);
  world.moveTo(now);
  await ok(client.signIn(partner));
  await sync(2);
  return now;
}

const phones = (...values: string[]) => values.map((value) => ({ system: "phone", value }));

/** Once, what stood beside a conflict was sent again with the decision on that, though the office had taken it back before the backup. */
it.each([
  { choice: "theirs", birthDate: "1982-02-02", telecom: phones("1") },
  { choice: "ours", birthDate: "1981-01-01", telecom: phones("1", "2") },
] as const)(
  "what the office took back before a backup is asked about beside a conflict, and ends as $choice",
  async ({ choice, birthDate, telecom }) => {
    const record = { name: { family: "Cruz" }, birthDate: "1980-08-08", telecom: phones("1") };
    const guest = await createGuest({ record });
    await guest.edit((draft) => {
      draft.telecom?.push({ system: "phone", value: "2" });
      draft.birthDate = "1981-01-01";
    });
    await guest.sync();
    await guest.office({ telecom: phones("1"), birthDate: "1982-02-02" });
    await guest.office({ name: { family: "Reyes" } });
    const now = await restored(guest);
    const parked = await guest.client.parked();
    const paths = parked[0]?.conflicts.map(({ path }) => path) ?? [];
    expect(paths.toSorted()).toEqual(["/birthDate", "/telecom/1"]);
    for (const { reference, revision } of parked) {
      const choices = Object.fromEntries(paths.map((path) => [path, choice]));
      await ok(guest.client.resolve(reference, { kind: "choose", revision, choices }));
    }
    await guest.sync(2);
    expect(await guest.there(now)).toMatchObject({ birthDate, telecom, name: { family: "Reyes" } });
    expect((await guest.there(now)).telecom).toHaveLength(telecom.length);
    expect(guest.waits()).toBe(0);
  },
);

/** Once, what was asked about kept all else of its list, and of the name, though a consent hid it. */
it.each([custom("name.family", "meta"), null])(
  "what is asked about beside a conflict shows nothing else than was typed, where consents show %o",
  async (shows) => {
    const record = { name: { family: "Cruz", given: "Ana" }, telecom: phones("0917 555 000") };
    const guest = await createGuest({ record });
    await guest.edit((draft) => {
      draft.telecom?.push({ system: "phone", value: "mine" });
      draft.name.family = "Reyes";
    });
    await guest.sync();
    await guest.office({ telecom: record.telecom, name: { family: "Santos" } });
    await guest.office({ name: { given: "Anna" } });
    const now = await restored(guest);
    expect((await guest.client.parked())[0]?.conflicts).toHaveLength(2);
    await guest.show(shows, now);
    await guest.sync(4, 26);
    const said = await guest.said();
    for (const typed of ["mine", "Reyes"]) expect(said).toContain(typed);
    for (const hidden of ["0917 555 000", "Anna"]) expect(said).not.toContain(hidden);
  },
);
