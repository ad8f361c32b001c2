import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { authorization, client, clientsFile, run, serve, useCommandLine } from "./support/command-line.ts";

const placeOf = useCommandLine();

describe("fieldroll client", { timeout: 60_000 }, () => {
  it("adds, lists and switches clients of a server that runs", async () => {
    const { url, authUrl, errors, stop } = await serve("--database", `sqlite:${placeOf("clients.db")}`);
    // The log is written some lines at a time.
    const told = await vi.waitUntil(
      () => /NOBODY CAN CALL.* (--database) (sqlite:\S+)\. Or/.exec(errors()),
      10_000,
    );
    const database = told.slice(1);
    const added = await run(
      ...["client", "add", "ngo", "--scopes", "registry:read,program:read", ...database],
      ...["--organization", "Hope", "--organization-type", "ngo", "--fields", "name,birthDate"],
    );
    expect([added.code, added.errors]).toEqual([
      0,
      `Added to ${placeOf("clients.db")}. Where a server has a client ngo in its --clients file, that one counts.\n`,
    ]);
    const ngo = JSON.parse(added.output) as { id: string; secret: string };
    expect(ngo).toMatchObject({ id: "ngo", legalBasis: "consent", fields: ["name", "birthDate"] });
    expect(ngo.secret.length).toBeGreaterThanOrEqual(32);

    let headers = await authorization(authUrl, ngo);
    const read = async () => (await fetch(`${url}/Individual`, { headers })).status;
    expect(await read()).toBe(200);
    const listed = await run("client", "list", ...database);
    expect(listed.output).not.toContain(ngo.secret);
    expect(JSON.parse(listed.output)).toEqual({
      id: "ngo",
      scopes: ["registry:read", "program:read"],
      organization: "Hope",
      organizationType: "ngo",
      fields: ["name", "birthDate"],
      active: true,
      legalBasis: "consent",
    });
    expect(listed.errors).toBe(
      `1 client in ${placeOf("clients.db")}. Those of --clients and --demo are not kept there.\n`,
    );
    const disabled = await run("client", "disable", "ngo", ...database);
    const switched = `Disabled ngo in ${placeOf("clients.db")}, its tokens included.\n`;
    expect([disabled.code, disabled.output, disabled.errors]).toEqual([0, "", switched]);
    expect(await read()).toBe(401);
    const enabled = await run("client", "enable", "ngo", ...database);
    expect(enabled.errors).toBe(`Enabled ngo in ${placeOf("clients.db")}: it may ask for new tokens.\n`);
    expect([enabled.code, enabled.output, await read()]).toEqual([0, "", 401]);
    headers = await authorization(authUrl, ngo);
    expect(await read()).toBe(200);
    expect((await run("keys", "rotate", ...database)).code).toBe(0);
    expect(await read()).toBe(200);
    expect(await stop()).toBe(0);
  });

  it("gives a client of a server that runs another secret, and ends the former one with its tokens", async () => {
    const path = placeOf("forgotten-secret.db");
    const { url, authUrl, stop } = await serve("--database", `sqlite:${path}`);
    const database = ["--database", `sqlite:${path}`];
    const added = await run("client", "add", "ngo", "--scopes", "registry:read", ...database);
    const former = JSON.parse(added.output) as { id: string; secret: string };
    let headers = await authorization(authUrl, former);
    const read = async () => (await fetch(`${url}/Individual`, { headers })).status;
    expect(await read()).toBe(200);

    const changed = await run("client", "secret", "ngo", ...database);
    const ngo = JSON.parse(changed.output) as { id: string; secret: string };
    expect([changed.code, changed.errors]).toEqual([
      0,
      `ngo in ${path} has another secret. The former one is good no more, nor are its tokens: it signs in anew.\n`,
    ]);
    expect(Object.keys(ngo)).toEqual(["id", "secret"]);
    expect(await read()).toBe(401);
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: "ngo",
      client_secret: former.secret,
    });
    expect((await fetch(`${authUrl}/oauth2/token`, { method: "POST", body })).status).toBe(401);
    headers = await authorization(authUrl, ngo);
    expect(await read()).toBe(200);

    await run("client", "disable", "ngo", ...database);
    const own = placeOf("own-secret.txt");
    await writeFile(own, "a-secret-of-its-own\n");
    const chosen = await run("client", "secret", "ngo", "--secret-file", own, ...database);
    expect(JSON.parse(chosen.output)).toEqual({ id: "ngo", secret: "a-secret-of-its-own" });
    expect(chosen.errors).toContain("It is still disabled: fieldroll client enable ngo lets it in.");
    expect(await stop()).toBe(0);
  });

  const database = ["--database", "memory:"];
  const add = ["client", "add", "ngo", "--scopes", "registry:read", ...database];
  const refused: readonly (readonly [string, readonly string[], string])[] = [
    ["an id that breaks a URN", ["client", "add", "a:b", "--scopes", "registry:read", ...database], "a:b"],
    ["an unknown scope", ["client", "add", "a", "--scopes", "all", ...database], "--scopes: all is no scope"],
    ["no scopes", ["client", "add", "a", "--scopes", ",", ...database], "--scopes: names nothing"],
    ["an unknown legal basis", [...add, "--legal-basis", "because"], "--legal-basis: because"],
    ["a field that can be none", [...add, "--fields", "/name"], "--fields: /name"],
    [
      "an unknown field",
      [...add, "--fields", "name,foo"],
      "--fields: foo is no field of any record; there are",
    ],
    ["a client that is not there", ["client", "disable", "nobody", ...database], "no client nobody"],
    [
      "a demo sign-in",
      ["client", "disable", "enumerator", ...database],
      "a demo sign-in, which a server has only",
    ],
    [
      "another secret for a client that is not there",
      ["client", "secret", "nobody", ...database],
      "no client nobody. fieldroll client list shows those it has; of one in a --clients file, change the secret in that file",
    ],
    [
      "another secret for a demo sign-in",
      ["client", "secret", "enumerator", ...database],
      "enumerator is a demo sign-in, whose secret is always the one that",
    ],
  ];
  it.each(refused)("refuses %s", async (_case, options, message) => {
    const { code, errors, output } = await run(...options);
    expect([code, output]).toEqual([1, ""]);
    expect(errors).toContain(message);
    expect(errors).not.toContain("    at ");
  });

  const missing = ["client add ngo --scopes registry:read", "client disable ngo", "keys rotate", "export"];
  it.each(missing)("%s refuses a database file that is not there, and makes none", async (command) => {
    const path = placeOf("forgotten.db");
    const { code, errors } = await run(...command.split(" "), "--database", `sqlite:${path}`);
    expect(code).toBe(1);
    expect(errors).toContain(`There is no database ${path}. Name the one you mean with --database`);
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    ["import", "or postgres://<user>@<host>/<database>"],
    ["export", "or postgres://<user>@<host>/<database>"],
    ["verify", "or postgres://<user>@<host>/<database>"],
    ["client list", "or postgres://<user>@<host>/<database>"],
    ["serve", "postgres://<user>@<host>/<database>, or memory:"],
    ["backup", "sqlite:<path> (default"],
  ])("%s --help names the databases that it works on", async (command, told) => {
    const { output } = await run(...command.split(" "), "--help");
    expect(output.replaceAll(/\s+/g, " ")).toContain(told);
  });

  it("adds a client to a new file where that is asked for, and says so", async () => {
    const path = placeOf("first.db");
    const add = ["client", "add", "ngo", "--scopes", "registry:read", "--create"];
    const { code, errors } = await run(...add, "--database", `sqlite:${path}`);
    expect([code, errors]).toEqual([0, expect.stringContaining(`Added to ${path}, which is new. Where`)]);
  });

  it("warns of the id of a demo sign-in, which goes before it where there is a demo", async () => {
    const { code, errors } = await run(
      ...["client", "add", "enumerator", "--scopes", "registry:read", "--database", "memory:"],
    );
    expect([code, errors]).toEqual([
      0,
      expect.stringContaining("Warning: enumerator is a demo sign-in, too"),
    ]);
  });

  it.each([
    ["a legal basis that is none", ["--legal-basis", "whim"], "--legal-basis: "],
    ["fields that are none", ["--fields", "shoe"], "--fields: "],
    ["another kind of organization", ["--organization-type", "club"], "--organization-type: "],
    ["a purpose that is none", ["--purpose", "fun"], "--purpose: "],
    ["no file of a secret", ["--secret-file", "no-such.txt"], "so no client was added"],
    ["scopes that are none", ["--scopes", "registry:fly"], "--scopes: "],
  ])("adds none for %s, and makes no database for it", async (_, options, told) => {
    const path = placeOf("unmade.db");
    const scopes = options[0] === "--scopes" ? [] : ["--scopes", "registry:read"];
    const add = ["client", "add", "ngo", ...scopes, ...options, "--create"];
    const { code, errors } = await run(...add, "--database", `sqlite:${path}`);
    expect([code, errors, existsSync(path)]).toEqual([1, expect.stringContaining(told), false]);
  });

  it("warns of one that may register people whom it does not see, and says what to choose", async () => {
    const add = ["client", "add", "tablet", "--scopes", "registry:read,registry:write", ...database];
    const { code, errors } = await run(...add);
    expect(code).toBe(0);
    expect(errors).toMatch(/^Warning: Its legal basis is consent: .* such as --legal-basis public_task\.$/m);
    const chosen = await run(...add, "--legal-basis", "public_task");
    expect([chosen.code, chosen.errors.includes("Warning")]).toEqual([0, false]);
    expect(JSON.parse(chosen.output)).toMatchObject({ legalBasis: "public_task" });
  });

  it("refuses a secret of fewer than 16 characters, and never repeats it", async () => {
    const path = placeOf("secret.txt");
    await writeFile(path, "short-secret-15\n");
    const { code, errors } = await run(...add, "--secret-file", path);
    expect(code).toBe(1);
    expect(errors).toContain("16 characters");
    expect(errors).not.toContain("short-secret-15");
  });

  it("is warned of short secrets in a file", async () => {
    const short = await clientsFile([{ ...client, secret: "hush-hush" }]);
    const { errors, stop } = await serve("--database", "memory:", "--clients", short);
    await stop();
    expect(errors()).toContain('"client":"field"');
    expect(errors()).not.toContain("hush-hush");
  });
});
