import type { Individual } from "@fieldroll/core";
import type { Fetch } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { picture } from "../picture.ts";
import { createGuest, custom } from "./support/guest.ts";
import { answer, ok, personOf, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, credentials } from "./support/world.ts";

/** PNGs as far as anybody looks: the signature, and something of their own. */
const photo = (name: string) => picture(name.padEnd(24, "."));
const [mine, theirs, newer] = [photo("mine"), photo("theirs"), photo("newer")];

const refusal = { type: "urn:service:error:validation", title: "Wrong", status: 422, detail: "It is wrong." };

type Guest = Awaited<ReturnType<typeof createGuest>>;

const ways: Readonly<Record<string, { comes: (guest: Guest) => Promise<unknown>; shows: string }>> = {
  "was taken here": { comes: ({ sync }) => sync(2), shows: mine },
  "came by a conflict": {
    comes: async ({ client, sync, ana }) => {
      await sync(2);
      for (const { revision } of await client.parked())
        await ok(client.resolve(ana, { kind: "choose", revision, choices: { "/photo": "theirs" } }));
      await sync(2);
    },
    shows: theirs,
  },
};

const changes: Readonly<
  Record<
    string,
    { happens: (guest: Guest) => Promise<unknown>; left: (before: string) => string | undefined }
  >
> = {
  "stays where nothing happens": { happens: async () => {}, left: (before) => before },
  "stays where an office changes something else": {
    happens: ({ office }) => office({ gender: null, birthDate: "1981-01-01" }),
    left: (before) => before,
  },
  "goes where an office takes it out": {
    happens: ({ office }) => office({ photo: null }),
    left: () => undefined,
  },
  "is the one that an office put in its place": {
    happens: ({ office }) => office({ photo: newer }),
    left: () => newer,
  },
  "goes where a consent hides it alone": {
    happens: ({ show }) => show(custom("name", "birthDate", "active", "meta")),
    left: () => undefined,
  },
  "goes where a consent hides it with something else": {
    happens: ({ show }) => show(custom("name", "active", "meta")),
    left: () => undefined,
  },
};

/** "Lists of a plain server are without photos" (decision 12): what is known of one here is what a read shows. */
describe.each(Object.entries(ways))("a photo that %s, at a plain server", (way, { comes, shows }) => {
  async function ready() {
    const server = { looks: 0, isFailing: false, isRefusing: false };
    const network = (send: Fetch): Fetch => {
      const reach = plain(send);
      return async (url, init) => {
        if (init.method === "PATCH" && server.isRefusing)
          return answer(422, refusal, "application/problem+json");
        if (init.method !== "GET" || !url.includes("/Individual/")) return reach(url, init);
        server.looks++;
        return server.isFailing ? answer(503) : reach(url, init);
      };
    };
    const guest = await createGuest({ record: { birthDate: "1980-08-08" }, network, random: () => 0 });
    if (way !== "was taken here") await guest.office({ photo: theirs });
    await guest.edit((draft) => {
      draft.photo = mine;
    });
    await comes(guest);
    const shown = async () => (await ok(guest.client.individuals.read(guest.ana))).record.photo;
    expect([await shown(), guest.waits()]).toEqual([shows, 0]);
    return { guest, server, shown };
  }

  describe.each([
    ["beside no work", false],
    ["beside refused work", true],
  ])("%s", (_, isEdited) => {
    it.each(Object.entries(changes))("%s", async (_name, { happens, left }) => {
      const { guest, server, shown } = await ready();
      server.isRefusing = true;
      if (isEdited)
        await guest.edit((draft) => {
          draft.name.given = "Edited";
        });
      await guest.sync();
      await happens(guest);
      await guest.sync(2, 26);
      expect([await shown(), guest.waits()]).toEqual([left(shows), isEdited ? 1 : 0]);
      server.isRefusing = false;
      if (isEdited) await ok(guest.client.resolve(guest.ana, { kind: "retry" }));
      await guest.sync(3, 1);
      expect([await shown(), guest.waits()]).toEqual([left(shows), 0]);
      const there = await guest.there();
      expect(there.name.given).toBe(isEdited ? "Edited" : undefined);
    });
  });

  it("is asked for where its record changed, and not each time", async () => {
    const { guest, server } = await ready();
    await guest.sync(1, 26);
    server.looks = 0;
    await guest.sync(3, 1);
    expect(server.looks).toBe(0);
    await guest.office({ birthDate: "1981-01-01" });
    await guest.sync(3, 1);
    expect(server.looks).toBe(1);
  });

  it("goes where it can't be looked at, and what else changed is shown", async () => {
    const { guest, server, shown } = await ready();
    await guest.office({ birthDate: "1981-01-01" });
    server.isFailing = true;
    await guest.sync();
    expect(await shown()).toBeUndefined();
    expect((await ok(guest.client.individuals.read(guest.ana))).record.birthDate).toBe("1981-01-01");
    expect((await guest.there()).photo).toBe(shows);
  });
});

const deeds: Readonly<Record<string, { change: (draft: Individual) => void; left: string | undefined }>> = {
  "takes it out": {
    change: (draft) => {
      delete draft.photo;
    },
    left: undefined,
  },
  "puts another one in its place": {
    change: (draft) => {
      draft.photo = newer;
    },
    left: newer,
  },
};

/** A look that says nothing of the photo must not be taken for one that there is none. */
describe.each(Object.entries(deeds))("a refused edit of a photo that %s, at a plain server", (_, deed) => {
  it.each([
    ["is busy", 503],
    ["forbids it", 403],
    ["has it not", 404],
    ["is cut off", 0],
  ])("waits on where the photo is looked at and the server %s", async (_name, status) => {
    let [isRefusing, isFailing] = [false, false];
    const network = (send: Fetch): Fetch => {
      const reach = plain(send);
      return async (url, init) => {
        if (isRefusing && init.method === "PATCH") return answer(422, refusal, "application/problem+json");
        if (!isFailing || !url.includes("/Individual/")) return reach(url, init);
        if (status === 0) throw new TypeError("cut");
        return answer(status);
      };
    };
    const { client, edit, office, sync, there } = await createGuest({ network, random: () => 0 });
    await edit((draft) => {
      draft.photo = mine;
    });
    await sync(2);
    isRefusing = true;
    await edit(deed.change);
    await sync();
    isFailing = true;
    await office({ birthDate: "1981-01-01" });
    await sync(2, 26);
    expect(await client.parked()).toMatchObject([{ reason: "rejected" }]);
    [isRefusing, isFailing] = [false, false];
    for (const { reference } of await client.parked()) await ok(client.resolve(reference, { kind: "retry" }));
    await sync(3, 1);
    expect(client.status.current).toMatchObject({ pending: 0, parked: 0 });
    expect([(await there()).photo, (await there()).birthDate]).toEqual([deed.left, "1981-01-01"]);
  });
});

describe("the photos of sixty changed records, at a plain server", () => {
  it.each([
    { server: "answers", reply: null, looks: 50, left: 50 },
    { server: "asks to be left alone", reply: () => answer(503), looks: 1, left: 0 },
    { server: "is cut off", reply: () => Promise.reject(new TypeError("cut")), looks: 1, left: 0 },
    { server: "has none of the records", reply: () => answer(404), looks: 50, left: 0 },
  ])("are looked at no more than it makes sense where it $server", async ({ reply, looks, left }) => {
    const numbers = Array.from({ length: 60 }, (_, i) => `P${i}`);
    const world = await createWorld();
    let [isReady, looked] = [false, 0];
    const { client } = world.device("a", {
      network: (send) => {
        const reach = plain(send);
        return async (url, init) => {
          if (!isReady || init.method !== "GET" || !url.includes("/Individual/")) return reach(url, init);
          looked++;
          return reply ? reply() : reach(url, init);
        };
      },
    });
    for (const number of numbers)
      await ok(world.view.individuals.create(personOf(number, { given: number })));
    await ok(client.signIn(credentials));
    await client.sync();
    for (const number of numbers)
      await ok(
        client.individuals.update(`Individual/${system}|${number}`, (draft) => {
          draft.photo = mine;
        }),
      );
    await client.sync();
    for (const number of numbers)
      await ok(
        world.view.individuals.patch(`${system}|${number}`, { birthDate: "1981-01-01" }, { ifMatch: "*" }),
      );
    isReady = true;
    world.pass(3_600_000);
    await client.sync();
    isReady = false;
    const shown = [];
    for (const number of numbers)
      shown.push((await ok(client.individuals.read(`Individual/${system}|${number}`))).record);
    expect(shown.every(({ birthDate }) => birthDate === "1981-01-01")).toBe(true);
    expect([looked, shown.filter((record) => record.photo).length]).toEqual([looks, left]);
  });
});
