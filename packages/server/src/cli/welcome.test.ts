import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { demoClients, demoUses } from "./demo.ts";
import { welcome } from "./welcome.ts";

const addresses = {
  url: "http://127.0.0.1:8080/api/v2",
  authUrl: "http://127.0.0.1:8080",
  appUrl: "http://127.0.0.1:8080/",
};

it("names the database as other commands take it, and the command that adds a client to it", () => {
  const text = welcome(addresses, { kind: "sqlite", path: "./.data/fieldroll.db" });
  expect(text).toContain("Database    sqlite:.data/fieldroll.db\n");
  expect(text).toMatch(/fieldroll -- client add .* --database sqlite:\.data\/fieldroll\.db\n/);
  expect(text).toContain("http://127.0.0.1:8080/docs");
});

it("tells no way to add a client to a database that no other command can open", () => {
  expect(welcome(addresses, { kind: "memory" })).not.toContain("client add");
});

it("tells of each demo sign-in what it may do, and the README its scopes", async () => {
  const text = welcome(addresses, { kind: "memory" });
  const readme = await readFile(new URL("../../../../README.md", import.meta.url), "utf8");
  for (const { id, secret, scopes } of demoClients) {
    expect(text).toMatch(new RegExp(`^ +${id} +${secret} +${demoUses[id]}$`, "m"));
    const row = readme.split("\n").find((line) => line.startsWith(`| \`${id}\` |`));
    expect(row?.match(/\w+:(?:read|write)/g), id).toEqual(scopes);
  }
  expect(Object.keys(demoUses)).toEqual(demoClients.map(({ id }) => id));
});
