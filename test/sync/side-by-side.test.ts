import { createMemoryMedium, createMemoryStore } from "@fieldroll/core";
import { createFieldClient } from "@fieldroll/sync";
import { expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, root } from "./support/world.ts";

/** Once, it went on saying that nobody was signed in, and sent nothing. */
it("a client beside another one, with nothing in common but the store, sends once somebody signed in there", async () => {
  const world = await createWorld();
  const medium = createMemoryMedium();
  const [one, other] = ["one", "other"].map(() =>
    createFieldClient({
      ...{ server: root, automatic: false, clock: world.now },
      store: createMemoryStore({ medium }),
      fetch: (url, init) => world.send(url, init),
    }),
  );
  if (!one || !other) throw new Error("there are two of them");
  expect(await other.sync()).toMatchObject({ phase: "signed-out" });
  await ok(one.signIn(credentials));
  const { reference } = await ok(other.individuals.create({ name: { family: "Diaz" } }));
  expect(await other.sync()).toMatchObject({ pending: 0, sending: 0 });
  expect((await ok(one.individuals.read(reference))).state).toBe("synced");
  await one.close();
  await ok(other.individuals.create({ name: { family: "Cruz" } }));
  expect(await other.sync()).toMatchObject({ pending: 0, sending: 0 });
  expect((await ok(world.view.individuals.search())).data).toHaveLength(2);
  await other.close();
});
