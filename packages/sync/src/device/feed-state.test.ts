import { createMemoryStore } from "@fieldroll/core";
import { expect, it } from "vitest";
import { canaryOf, noteRefusal, readFeed, startOver, unread } from "./feed-state.ts";

it("a refusal is noted beside what a sign-in did to the feed since it was asked", async () => {
  const store = createMemoryStore();
  const canary = await canaryOf(store, () => "mark");
  const asked = { ...unread(canary), cursor: "of somebody else", epoch: "e", complete: true };
  await startOver(store, ["all"], canary, true);
  const at = new Date("2026-01-15T08:00:00.000Z");
  expect(await noteRefusal(store, "all", { known: asked, at })).toBe(false);
  const { state } = await readFeed(store, "all");
  expect(state).toMatchObject({
    cursor: null,
    restarting: true,
    blank: true,
    refusedSince: at.toISOString(),
  });
});
