import { expect, it } from "vitest";
import { openSqliteStore } from "./open.ts";

it("lets others have their turn while queries follow each other without a pause", async () => {
  const store = await openSqliteStore({ path: ":memory:" });
  let had = false;
  setImmediate(() => {
    had = true;
  });
  let queries = 0;
  while (!had && queries < 200_000) {
    await store.query({ collection: "a", limit: 1 });
    queries += 1;
  }
  expect(had).toBe(true);
  await store.close();
});
