import { createMemoryStore, type Store, StoreError } from "@fieldroll/core";
import { createFieldClient, processLock } from "@fieldroll/sync";
import { v7 } from "uuid";
import { expect, it } from "vitest";
import { manualTimers } from "./support/timers.ts";
import { createWorld, credentials, root } from "./support/world.ts";

it("starts its engine as soon as a store that could not be opened can be", async () => {
  const world = await createWorld();
  const timers = manualTimers(world.busy);
  let broken = true;
  const store = createMemoryStore();
  const commit: Store["commit"] = async (what) => {
    if (broken) throw new StoreError("unavailable", "The disk is busy.");
    return store.commit(what);
  };
  const client = createFieldClient({
    server: root,
    store: { ...store, commit },
    fetch: world.send,
    clock: world.now,
    random: () => 0,
    newId: v7,
    timers,
    lock: processLock(),
  });
  await timers.advance(1_000);
  const { engine } = await client.diagnostics();
  expect(engine).toMatchObject({ durable: false, leading: false });
  broken = false;
  await timers.advance(30_000);
  await client.signIn(credentials);
  await timers.advance(1_000);
  expect((await client.diagnostics()).engine).toMatchObject({
    durable: true,
    leading: true,
    session: "valid",
  });
  expect(world.requests).toContain("GET /api/v2/$changes 200");
});
