import {
  createMemoryStore,
  type Individual,
  type Likened,
  type Query,
  type Store,
  unwrap,
} from "@fieldroll/core";
import { createFieldClient, type FieldClient, type NewRecord } from "@fieldroll/sync";
import { v7 } from "uuid";
import { describe, expect, it } from "vitest";
import { createWorld, credentials, root } from "./support/world.ts";

const nid = "urn:gov:ph:nid";
const imus = [
  { type: "physical" as const, country: "PH", state: "Cavite", city: "Imus", district: "Alapan" },
];

/** A person as an enumerator types one. */
function person(given: string, family: string, rest: Partial<NewRecord<Individual>> = {}) {
  return { name: { given, family }, birthDate: "1990-05-01", address: imus, ...rest };
}

/** A device without a network, and the questions that its store was asked. */
function offlineDevice(): { readonly client: FieldClient; readonly asked: Query[] } {
  const store = createMemoryStore();
  const asked: Query[] = [];
  const watched: Store = {
    ...store,
    query(query) {
      asked.push(query);
      return store.query(query);
    },
  };
  const fetch = () => Promise.reject(new TypeError("offline"));
  return {
    client: createFieldClient({ server: root, store: watched, fetch, newId: v7, automatic: false }),
    asked,
  };
}

async function register(client: FieldClient, ...people: readonly NewRecord<Individual>[]): Promise<void> {
  for (const each of people) unwrap(await client.individuals.create(each));
}

async function found(client: FieldClient, likened: Likened) {
  return unwrap(await client.findSimilar(likened)).map(
    ({ record: { name } }) => `${name.given} ${name.family}`,
  );
}

describe("people who may be registered already", () => {
  it.each<readonly [string, Likened, readonly string[]]>([
    ["the same name", person("Ana", "Reyes"), ["Ana Reyes"]],
    ["family and given name exchanged", person("Reyes", "Ana"), ["Ana Reyes"]],
    ["a family name with a slip", person("Marisol", "Bautizta"), ["Marisol Bautista"]],
    ["a given name with a slip where it begins", person("Narisol", "Bautista"), ["Marisol Bautista"]],
    ["a sound in other letters", person("Mohamed", "Hassan"), ["Muhammad Hassan"]],
    ["a year of birth that is one off", person("Ana", "Reyes", { birthDate: "1989-01-01" }), ["Ana Reyes"]],
    ["no year of birth in the record", person("Undated", "Reyes"), ["Undated Reyes"]],
    ["no year of birth in the form", { name: { given: "Ana", family: "Reyes" } }, ["Ana Reyes"]],
    ["an Arabic name without its hamza", person("احمد", "الحسن"), ["أحمد الحسن"]],
    ["a Devanagari name", person("लक्ष्मी", "देवी"), ["लक्ष्मी देवी"]],
    [
      "an identifier under another name",
      { name: { family: "Else" }, identifier: [{ system: nid, value: "A-1" }] },
      ["Ana Reyes"],
    ],
    [
      "a telephone in another town",
      person("Anna", "Reyes", {
        birthDate: "",
        address: [],
        telecom: [{ system: "phone", value: "0917 555" }],
      }),
      ["Ana Reyes"],
    ],
    ["a brother", person("Ben", "Reyes"), []],
    ["nobody", { name: {} }, []],
  ])("are found by %s", async (_name, likened, expected) => {
    const { client } = offlineDevice();
    const { birthDate: _, ...undated } = person("Undated", "Reyes");
    await register(
      client,
      person("Ana", "Reyes", {
        identifier: [{ system: nid, value: "A-1" }],
        telecom: [{ system: "phone", value: "0917 555" }],
      }),
      person("Marisol", "Bautista"),
      person("Muhammad", "Hassan"),
      person("أحمد", "الحسن"),
      person("लक्ष्मी", "देवी"),
      undated,
    );
    expect(await found(client, likened)).toEqual(expected);
    await client.close();
  });

  it("are told with where they stand and why, and without the photo", async () => {
    const { client } = offlineDevice();
    await register(client, person("Ana", "Reyes", { photo: "data:image/jpeg;base64,/9j/2gAC/9k=" }));
    const [similar] = unwrap(await client.findSimilar(person("Ana", "Reyes")));
    expect(similar).toMatchObject({
      reference: expect.stringMatching(/^Individual\/urn:service:registrant\|/),
      state: "pending",
      score: 10,
      evidence: [
        { kind: "name", match: "same" },
        { kind: "birthYear", match: "day" },
        { kind: "area", match: "district" },
      ],
    });
    expect(similar?.record).not.toHaveProperty("photo");
    await client.close();
  });

  it("are those out of use only by an identifier", async () => {
    const { client } = offlineDevice();
    const identifier = [{ system: nid, value: "A-1" }];
    await register(client, person("Ana", "Reyes", { identifier, active: false }));
    expect(await found(client, person("Ana", "Reyes"))).toEqual([]);
    expect(await found(client, person("Ana", "Reyes", { identifier }))).toEqual(["Ana Reyes"]);
    await client.close();
  });

  it("are those of the place where a name is common", async () => {
    const { client } = offlineDevice();
    const elsewhere = [{ city: "Imus", district: "Toclong" }];
    for (let day = 10; day < 60; day++) {
      const birthDate = `1990-${day < 30 ? "03" : "07"}-${10 + (day % 20)}`;
      await register(client, person("Maria", `Reyes ${day}`, { birthDate, address: elsewhere }));
    }
    await register(client, person("Maria", "Reyes", { birthDate: "1990-11-11" }));
    const [first] = await found(client, person("Maria", "Reyes", { birthDate: "1990-12-12" }));
    expect(first).toBe("Maria Reyes");
    await client.close();
  });

  it("are not those of another area than this device keeps", async () => {
    const world = await createWorld();
    const identified = (value: string, city: string) => ({
      ...person("Ana", "Reyes", { address: [{ country: "PH", state: "Cavite", city }] }),
      type: "Individual",
      identifier: [{ system: nid, value }],
    });
    unwrap(await world.view.individuals.create(identified("1", "Imus")));
    unwrap(await world.view.individuals.create(identified("2", "Bacoor")));
    const { client } = world.device("a", { feeds: ["area:PH/Cavite/Imus"] });
    unwrap(await client.signIn(credentials));
    await client.sync();
    const similar = unwrap(await client.findSimilar(person("Ana", "Reyes")));
    expect(similar.map(({ reference, state }) => [reference, state])).toEqual([
      [`Individual/${nid}|1`, "synced"],
    ]);
  });

  it("are found by a few questions to indexes, however many there are", async () => {
    const { client, asked } = offlineDevice();
    const syllables = ["ba", "ri", "tu", "mo", "le"];
    const word = (n: number) => [n, n / 5, n / 25].map((part) => syllables[Math.floor(part) % 5]).join("");
    for (let n = 0; n < 300; n++) await register(client, person(word(n), word(n * 7 + 3)));
    asked.length = 0;
    await client.findSimilar(
      person("Batumo", "Leriba", {
        telecom: [{ system: "phone", value: "1" }],
        identifier: [{ system: nid, value: "1" }],
      }),
    );
    expect(asked.length).toBeLessThanOrEqual(6);
    for (const { limit, where = [] } of asked) {
      expect(limit).toBeLessThanOrEqual(40);
      expect(where.some(({ index }) => index === "telecom" || index === "name")).toBe(true);
    }
    await client.close();
  });
});
