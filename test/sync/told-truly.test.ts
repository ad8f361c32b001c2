import { createMemoryMedium, createMemoryStore, type Store, StoreError } from "@fieldroll/core";
import { createFieldClient, type FieldClient, processLock } from "@fieldroll/sync";
import { v7 } from "uuid";
import { beforeEach, describe, expect, it } from "vitest";
import { ok, personOf, system } from "./support/people.ts";
import { createWorld, credentials, root, type World } from "./support/world.ts";

const person = `Individual/${system}|P0`;

describe("What is told of an edit", () => {
  let world: World;
  let tab: (through: (store: Store) => Store) => FieldClient;
  let other: FieldClient;

  beforeEach(async () => {
    world = await createWorld();
    await ok(world.view.individuals.create(personOf("P0", { family: "Cruz", given: "Ana" })));
    const medium = createMemoryMedium();
    const lock = processLock();
    tab = (through) =>
      createFieldClient({
        ...{ server: root, store: through(createMemoryStore({ medium })), lock, newId: v7 },
        ...{ fetch: world.send, clock: world.now, random: () => 0.5, automatic: false },
        timers: { set: () => () => undefined },
      });
    other = tab((store) => store);
    await ok(other.signIn(credentials));
    await other.sync();
  });

  const rename = (client: FieldClient, name: { readonly family?: string; readonly given?: string }) =>
    client.individuals.update(person, (draft) => {
      draft.name = { ...draft.name, ...name };
    });

  it("is never that unsent text was sent, where another tab edits between the readings of one", async () => {
    let isArmed = true;
    const client = tab((store) => ({
      ...store,
      async get(keys) {
        if (isArmed && keys.some(({ collection }) => collection === "Individual")) {
          isArmed = false;
          await ok(rename(other, { family: "Edited" }));
        }
        return store.get(keys);
      },
    }));
    const { state, record } = await ok(client.individuals.read(person));
    expect(isArmed).toBe(false);
    expect({ state, family: record.name.family }).toEqual({ state: "pending", family: "Edited" });
    await client.close();
  });

  it("is that it was saved once it is, whatever of the store fails when its conflict is looked at again", async () => {
    await ok(rename(other, { family: "Reyes" }));
    const theirs = { name: { family: "Santos", given: "Ana" } };
    await ok(world.view.individuals.patch({ system, value: "P0" }, theirs, { ifMatch: "*" }));
    await other.sync();
    expect(await other.parked()).toHaveLength(1);
    let isSaved = false;
    let failures = 0;
    const failing = () => {
      if (!isSaved) return;
      failures += 1;
      throw new StoreError("unavailable", "The disk has no answer.");
    };
    const client = tab((store) => ({
      ...store,
      async get(keys) {
        failing();
        return store.get(keys);
      },
      async resolve(claims) {
        failing();
        return store.resolve(claims);
      },
      async commit(commit) {
        const result = await store.commit(commit);
        isSaved ||= commit.put?.some(({ collection }) => collection === "outbox") === true;
        return result;
      },
    }));
    const held = await ok(rename(client, { given: "Eva" }));
    expect(failures).toBeGreaterThan(0);
    expect(held).toMatchObject({ state: "parked", record: { name: { given: "Eva" } } });
    isSaved = false;
    expect((await ok(other.individuals.read(person))).record.name.given).toBe("Eva");
    await client.close();
  });
});
