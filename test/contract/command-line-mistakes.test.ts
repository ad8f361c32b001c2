import { describe, expect, it } from "vitest";
import { run, useCommandLine } from "./support/command-line.ts";

useCommandLine();

const commands = "Commands of fieldroll are serve, import, export, client, keys, verify, reindex, backup.";

describe("a mistake on the command line", { timeout: 60_000 }, () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["a command nearly right", ["improt"], ["unknown command 'improt'", "Did you mean import?", commands]],
    ["a command that is none", ["frobnicate"], ["unknown command 'frobnicate'", commands]],
    [
      "a command of clients that is none",
      ["client", "remove", "office"],
      ["unknown command 'remove'", "Commands of fieldroll client are add, list, disable, enable, secret."],
    ],
    [
      "a client without an id",
      ["client", "add", "--scopes", "registry:read"],
      ["'id'", "Write it as: fieldroll client add <id> --scopes registry:read,registry:write [options]"],
    ],
    [
      "scopes given one by one",
      ["client", "add", "office", "--scopes", "registry:read", "--scopes", "registry:write"],
      ["option '--scopes <list>' is given twice. A list is one value, with commas."],
    ],
    ["a backup without a file", ["backup"], ["'file'", "Write it as: fieldroll backup [options] <file>"]],
    [
      "a command that puts a backup back",
      ["restore", "backup.db", "--database", "sqlite:registry.db"],
      ["there is no command that restores a backup", "copy the backup into its place", "fieldroll verify"],
    ],
  ])("is told with what there is: %s", async (_, args, told) => {
    const { code, errors, output } = await run(...args);
    expect([code, output]).toEqual([1, ""]);
    for (const sentence of told) expect(errors).toContain(sentence);
  });

  it("repeats no password that is in an address", async () => {
    const database = ["--database", "postgres://me:hidden@localhost/registry"];
    const { code, errors } = await run("verify", ...database, ...database);
    expect([code, errors]).toEqual([1, expect.stringContaining("'--database <url>' is given twice")]);
    expect(errors).not.toContain("hidden");
  });
});
