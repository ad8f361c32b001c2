import type { Individual } from "@fieldroll/core";
import type { Fetch } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { textIn } from "./support/files.ts";
import { createGuest, custom, everything, type Scope } from "./support/guest.ts";
import { ok, system } from "./support/people.ts";
import { partner } from "./support/world.ts";

const passphrase = "correct horse battery";
const secrets = ["SECRET", "HERS", "1980-08-08"];
const record = {
  birthDate: "1980-08-08",
  address: [{ type: "physical", country: "PH", state: "Cavite", city: "SECRET" }],
  telecom: [{ system: "phone", value: "HERS" }],
};
const phones = (all: Individual["telecom"]) => (all ?? []).map(({ value }) => value).sort();

const scopes: Readonly<Record<string, Scope>> = {
  withdrawn: null,
  "narrowed to names": custom("name", "meta"),
};

interface Work {
  readonly change: (draft: Individual) => void;
  /** What is typed while the request is under way. */
  readonly later?: (draft: Individual) => void;
  /** What she is like on the server then. */
  readonly there?: object;
  readonly phones?: readonly string[];
  /** What it replaces, or its request says, which may have arrived: a list goes whole. */
  readonly says?: readonly string[];
}

const works: Readonly<Record<string, Work>> = {
  "another name": {
    change: (draft) => {
      draft.name.given = "Mine";
    },
    there: { name: { given: "Mine" } },
  },
  "another birth date": {
    change: (draft) => {
      draft.birthDate = "1981-01-01";
    },
    there: { birthDate: "1981-01-01" },
    says: ["1980-08-08"],
  },
  "one more phone number": {
    change: (draft) => {
      draft.telecom = [...(draft.telecom ?? []), { system: "phone", value: "MINE" }];
    },
    phones: ["HERS", "MINE"],
    says: ["HERS"],
  },
  "another name, and another phone number later": {
    change: (draft) => {
      draft.name.given = "Mine";
    },
    later: (draft) => {
      draft.telecom = [{ system: "phone", value: "MINE" }];
    },
    there: { name: { given: "Mine" } },
    phones: ["MINE"],
    says: ["HERS"],
  },
};

/** A partner's tablet with a request of no outcome, to which the news has come that less is shown; and the file of that. */
async function carried({ change, later }: Work, scope: Scope, arrives: boolean) {
  let isCut = false;
  const network = (send: Fetch): Fetch => {
    return async (url, init) => {
      if (!isCut || init.method === "GET" || url.includes("oauth")) return send(url, init);
      if (arrives) await send(url, init);
      throw new TypeError("cut");
    };
  };
  const guest = await createGuest({ record, network });
  const other = guest.world.device("b").client;
  isCut = true;
  await guest.edit(change);
  await guest.sync();
  if (later) await guest.edit(later);
  const show = async (shows: Scope) => {
    await guest.show(shows);
    await guest.sync(3, 26);
  };
  await show(scope);
  const { file } = await ok(guest.client.exportUnsent(passphrase));
  const connect = () => {
    isCut = false;
  };
  return { guest, other, file, show, connect };
}

describe.each(Object.entries(scopes))("a file of unsent work, with a consent %s", (_scope, scope) => {
  it.each(Object.entries(works))("has %s without what is hidden", async (_name, { says = [], ...work }) => {
    const { guest, file } = await carried(work, scope, false);
    expect(guest.client.status.current).toMatchObject({ sending: 1, parked: 0 });
    const text = await textIn(file, passphrase);
    expect(secrets.filter((secret) => text.includes(secret) && !says.includes(secret))).toEqual([]);
  });

  describe.each([
    ["which knows the record", true],
    ["which knows nothing", false],
  ])("on another tablet, %s", (_knows, knows) => {
    describe.each([
      ["had arrived", true],
      ["had not arrived", false],
    ])("where the request %s", (_arrived, arrives) => {
      it.each(Object.entries(works))("brings %s, and takes nothing away", async (_name, work) => {
        const { guest, other, file, show, connect } = await carried(work, scope, arrives);
        await ok(other.signIn(partner));
        if (knows) {
          await show(everything);
          await other.sync();
          await show(scope);
        }
        await ok(other.importUnsent(file, passphrase));
        await guest.show(everything);
        const days = async (client: typeof other) => {
          for (let day = 0; day < 3; day++) {
            guest.world.pass(26 * 3_600_000);
            await client.sync();
          }
          expect(await ok(client.individuals.read(guest.ana))).toMatchObject({ state: "synced" });
        };
        await days(other);
        connect();
        await days(guest.client);
        const there = await guest.there();
        expect(there).toMatchObject({ ...record, telecom: expect.anything(), ...work.there });
        expect(phones(there.telecom)).toEqual(work.phones ?? ["HERS"]);
        expect((await ok(other.individuals.read(guest.ana))).record).toMatchObject(work.there ?? {});
      });
    });
  });
});

it("a file of a household has none of its members whom a consent hides, nor who they are", async () => {
  let isCut = false;
  const { world, client } = await createGuest({
    network: (send) => async (url, init) => {
      if (isCut && init.method !== "GET" && !url.includes("oauth")) throw new TypeError("cut");
      return send(url, init);
    },
  });
  const { view } = world;
  const eva = {
    type: "Individual" as const,
    identifier: [{ system, value: "EVA" }],
    name: { given: "SECRET" },
  };
  await ok(view.individuals.create(eva));
  const home = {
    type: "Group" as const,
    identifier: [{ system, value: "H" }],
    groupType: "household",
    name: "H",
  };
  const member = [{ entity: { reference: `Individual/${system}|EVA` } }];
  await ok(view.groups.create({ ...home, member }));
  const grant = (scope: object) =>
    view.consents.grant({
      subject: { reference: `Group/${system}|H` },
      grantee: { organization: "Aid" },
      scope: [{ resourceType: "Group", ...scope }],
    } as Parameters<typeof view.consents.grant>[0]);
  const whole = await ok(grant({ fieldAccess: "all" }));
  await client.sync();
  await ok(
    client.groups.update(`Group/${system}|H`, (draft) => {
      draft.name = "Mine";
    }),
  );
  isCut = true;
  await client.sync();
  await ok(grant({ fieldAccess: "custom", fields: ["name", "meta"] }));
  await ok(view.consents.revoke(whole.id));
  for (let day = 0; day < 3; day++) {
    world.pass(26 * 3_600_000);
    await client.sync();
  }
  const { file, records } = await ok(client.exportUnsent(passphrase));
  const text = await textIn(file, passphrase);
  expect([records, text.includes("Mine"), text.includes("EVA"), text.includes("SECRET")]).toEqual([
    ...[1, true, false, false],
  ]);
});
