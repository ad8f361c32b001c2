import type { FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { createWorld, credentials } from "./support/world.ts";

describe("a client that was closed", () => {
  const words = "This client was closed; make another one.";
  const reference = "Individual/urn:x|1";
  const individual = { name: { family: "Diaz" } };
  const passphrase = "0123456789";
  let client: FieldClient;

  beforeEach(async () => {
    client = (await createWorld()).device("a").client;
    await client.close();
  });

  it.each<[string, () => Promise<unknown>]>([
    ["read", () => client.individuals.read(reference)],
    ["search", () => client.programs.search()],
    ["create", () => client.individuals.create(individual)],
    ["update", () => client.individuals.update(reference, () => undefined)],
    [
      "registerHousehold",
      () => client.registerHousehold({ group: { groupType: "household", name: "Diaz" }, members: [] }),
    ],
    ["findSimilar", () => client.findSimilar(individual)],
    ["signIn", () => client.signIn(credentials)],
    ["signOut", () => client.signOut()],
    ["resolve", () => client.resolve(reference, { kind: "discard" })],
    ["explain", () => client.explain(reference)],
    ["exportUnsent", () => client.exportUnsent(passphrase)],
    ["importUnsent", () => client.importUnsent("", passphrase)],
  ])("says so as a problem of %s", async (_, ask) => {
    expect(await ask()).toEqual({ ok: false, problem: { kind: "unavailable", detail: words } });
  });

  it.each(["sync", "pause", "resume", "parked", "unsent", "diagnostics"] as const)(
    "says so by the rejection of %s",
    async (name) => {
      await expect(client[name]()).rejects.toThrow(words);
    },
  );

  it("is not closed again", async () => {
    await client.close();
  });
});
