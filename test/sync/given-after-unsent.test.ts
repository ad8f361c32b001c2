import type { Individual } from "@fieldroll/core";
import { expect, it } from "vitest";
import { createGuest, custom, everything } from "./support/guest.ts";
import { ok } from "./support/people.ts";
import { partner, restoredFrom } from "./support/world.ts";

const phone = (value: string) => ({ system: "phone", value }) as const;

/** What is typed beside a place of residence, which consents hide meanwhile. */
const more: Readonly<Record<string, (draft: Individual) => void>> = {
  "nothing else": () => undefined,
  "another name": (draft) => {
    draft.name.family = "Reyes";
  },
  "a phone more": (draft) => {
    draft.telecom = [...(draft.telecom ?? []), phone("3")];
  },
  "that phone less": (draft) => {
    if (draft.telecom) draft.telecom = draft.telecom.filter(({ value }) => value !== "2");
  },
};

/**
 * Once, a phone that a restored server had lost was not given again where it was hidden as the server was read anew, and unsent work kept it
 * from being compared until that arrived.
 */
it.each([
  { typed: "nothing else", isSeen: true, asked: 0 },
  { typed: "nothing else", isSeen: false, asked: 0 },
  { typed: "another name", isSeen: true, asked: 0 },
  { typed: "another name", isSeen: false, asked: 0 },
  { typed: "a phone more", isSeen: true, asked: 1, more: ["3"] },
  { typed: "a phone more", isSeen: false, asked: 1, more: ["3"] },
  { typed: "that phone less", isSeen: true, asked: 1 },
  { typed: "that phone less", isSeen: false, asked: 0 },
])(
  "what a server lost is given again, or asked about, once work arrived that came before: $typed, seen before: $isSeen",
  async ({ typed, isSeen, asked, more: others = [] }) => {
    const record = { telecom: [phone("1")], address: [{ type: "physical", city: "Naic" }] };
    const guest = await createGuest({ record });
    const { world, client, sync } = guest;
    const backup = structuredClone(world.medium);
    await guest.edit((draft) => {
      draft.telecom?.push(phone("2"));
    });
    await sync();
    const now = await restoredFrom(backup);
    now.pass(100 * 3_600_000);
    const type = () =>
      guest.edit((draft) => {
        draft.address = [...(draft.address ?? []), { type: "postal", city: "Imus" }];
        more[typed]?.(draft);
      });
    await guest.show(custom("name"), now);
    if (isSeen) await type();
    world.moveTo(now);
    await ok(client.signIn(partner));
    await sync(2);
    if (!isSeen) await type();
    await sync(2);
    await guest.show(everything, now);
    await sync(3);
    for (const { reference, revision } of await client.parked())
      await ok(client.resolve(reference, { kind: "retry", revision }));
    await sync(3);
    const phones = async () => (await guest.there(now)).telecom?.map(({ value }) => value).toSorted();
    const parked = await client.parked();
    expect(parked).toHaveLength(asked);
    if (asked > 0) expect(await phones()).toEqual(["1", ...others]);
    for (const { reference, revision } of parked)
      await ok(client.resolve(reference, { kind: "retry", revision }));
    await sync(2);
    expect(await phones()).toEqual(["1", "2", ...others]);
    expect((await guest.there(now)).address).toHaveLength(2);
    expect(guest.waits()).toBe(0);
  },
);
