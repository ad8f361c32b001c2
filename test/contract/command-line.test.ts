import { once } from "node:events";
import { existsSync, watch } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import Sqlite from "better-sqlite3";
import { describe, expect, it, vi } from "vitest";
import { household, person, program } from "./fixture.ts";
import {
  authorization,
  client,
  clientsFile,
  run,
  runWith,
  serve,
  start,
  useCommandLine,
} from "./support/command-line.ts";

const placeOf = useCommandLine();
const ndjson = (lines: readonly unknown[]) => lines.map((line) => JSON.stringify(line)).join("\n");

/** A port that nobody has, for a server whose first line comes too late to tell it. */
async function freePort(): Promise<string> {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = taken.address();
  taken.close();
  await once(taken, "close");
  return String(typeof address === "object" && address ? address.port : 0);
}

describe("fieldroll serve", { timeout: 60_000 }, () => {
  it("tells its addresses, keeps records and tokens over a restart, ends with 0 on SIGTERM", async () => {
    const options = [
      "--database",
      `sqlite:${placeOf("new/folder/a.db")}`,
      "--create",
      "--clients",
      await clientsFile([client]),
    ];
    const first = await serve(...options);
    expect(first.url).toBe(`${first.authUrl}/api/v2`);
    expect(first.appUrl).toBeNull();
    const headers = await authorization(first.authUrl);
    const created = await fetch(`${first.url}/Individual`, {
      method: "POST",
      headers,
      body: JSON.stringify(person("7")),
    });
    expect(created.status).toBe(201);
    expect(await first.stop()).toBe(0);

    const second = await serve(...options);
    const read = await fetch(`${second.url}/Individual/urn:gov:ph:nid%7C7`, { headers });
    expect(read.status).toBe(200);
    expect(await second.stop()).toBe(0);
    const made = `There was no registry in ${placeOf("new/folder/a.db")}: a new one was made there.`;
    expect([first, second].map(({ errors }) => errors().includes(made))).toEqual([true, false]);
    for (const { errors } of [first, second]) {
      const entries = errors()
        .trim()
        .split("\n")
        .map((entry) => JSON.parse(entry) as object);
      expect(entries.length).toBeGreaterThan(1);
      expect(errors()).not.toMatch(/Reyes|Ana|urn:gov|field-secret-of-tests/);
    }
  });

  it("serves the field app beside the API", async () => {
    const app = placeOf("app");
    await mkdir(app, { recursive: true });
    await writeFile(join(app, "index.html"), "<!doctype html>");
    const { appUrl, authUrl, stop } = await serve("--database", "memory:", "--app", app);
    expect(appUrl).toBe(`${authUrl}/`);
    const page = await fetch(`${appUrl}people/7`, { headers: { Accept: "text/html" } });
    expect(page.headers.get("Content-Type")).toContain("text/html");
    expect((await fetch(`${authUrl}/metadata`)).headers.get("Content-Type")).toContain("json");
    expect(await stop()).toBe(0);
  });

  it.each([
    ["0.0.0.0", [], true],
    ["0.0.0.0", ["--public-url", "https://registry.example"], false],
    ["localhost", [], false],
    ["127.0.0.1", [], false],
  ])("on --host %s %j warns of a missing --public-url: %s", async (host, more, warns) => {
    const server = await serve("--database", "memory:", "--host", host, ...more);
    await server.stop();
    expect(server.errors().includes("--public-url is missing")).toBe(warns);
  });

  it("without programs has none", async () => {
    const { url, stop } = await serve("--database", "memory:", "--no-programs");
    const metadata = (await (await fetch(`${url}/metadata`)).json()) as { resources: { type: string }[] };
    expect(metadata.resources.map(({ type }) => type)).toEqual(["Individual", "Group", "Consent"]);
    expect(await stop()).toBe(0);
  });

  it("ends with 1 and one way out when the port is taken, and leaves nothing behind", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const database = ["--database", `sqlite:${placeOf("port/taken.db")}`, "--create"];
    const { code, errors } = await run("serve", ...database, "--demo", "--port", String(port));
    taken.close();
    expect(code).toBe(1);
    expect(errors).toMatch(
      new RegExp(`^fieldroll: Port ${port} of 127.0.0.1 is taken\\. Choose .*--port.*\\n$`),
    );
    expect(existsSync(placeOf("port"))).toBe(false);
  });

  it.each(["serve --port 0", "import people.ndjson", "client add ngo --scopes registry:read --create"])(
    "%s makes a folder only where that is asked for",
    async (command) => {
      const [file, name] = ["people.ndjson", `${command.length}`];
      await writeFile(placeOf(file), JSON.stringify(person("7")));
      const args = command.split(" ").map((arg) => (arg === file ? placeOf(file) : arg));
      const path = placeOf(`mistyped-${name}/a.db`);
      const without = args.filter((arg) => arg !== "--create");
      const { code, errors } = await run(...without, "--database", `sqlite:${path}`);
      expect(code).toBe(1);
      expect(errors).toContain(path);
      expect(errors).toMatch(/--create.*\n$/);
      expect(existsSync(placeOf(`mistyped-${name}`))).toBe(false);
    },
  );

  it.each([
    ["is not there", null, "there is no such file, so nothing was imported"],
    ["is a table", "name,birthDate\nReyes,1988-04-02\n", "is no NDJSON of records"],
  ])("serve --load of a file that %s makes no database", async (_, text, told) => {
    const [file, path] = [placeOf("to-load.csv"), placeOf("unmade.db")];
    if (text !== null) await writeFile(file, text);
    const database = ["--database", `sqlite:${path}`];
    const { code, errors } = await run("serve", "--port", "0", ...database, "--load", file);
    expect([code, errors, existsSync(path)]).toEqual([1, expect.stringContaining(told), false]);
  });

  it("tells what to do last, after what it had logged", async () => {
    const path = placeOf("faulty.ndjson");
    await writeFile(path, '{"type":"Individual"}');
    const { code, errors } = await run("serve", "--port", "0", "--database", "memory:", "--load", path);
    expect(code).toBe(1);
    expect(errors).toContain("NOBODY CAN CALL");
    expect(errors.trimEnd().split("\n").at(-1)).toMatch(/^fieldroll: --load .* refused/);
  });

  it("refuses a file that is no database, and leaves it as it was", async () => {
    const path = placeOf("letter.db");
    const letter = "Dear Sir or Madam, this is not a database. ".repeat(200);
    await writeFile(path, letter);
    const { code, errors } = await run("serve", "--port", "0", "--database", `sqlite:${path}`);
    expect(code).toBe(1);
    expect(errors).toContain("letter.db");
    expect(errors).not.toContain("    at ");
    expect(await readFile(path, "utf8")).toBe(letter);
  });

  it("refuses an unknown option", async () => {
    const { code, errors } = await run("serve", "--speed", "9");
    expect(code).toBe(1);
    expect(errors).toContain("--speed");
  });

  it("ends with 0 on SIGTERM while it loads the demonstration", async () => {
    const options = ["serve", "--port", "0", "--demo", "--database", `sqlite:${placeOf("demo.db")}`];
    const { child, exit, errors } = start(...options);
    await new Promise<void>((resolve) => {
      child.stderr.on("data", () => {
        if (errors().includes("loading the demonstration")) resolve();
      });
    });
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
    expect(errors()).not.toContain("demonstration loaded");
    expect(errors()).not.toContain("    at ");
  });

  it("is not ready until it has loaded the demonstration", async () => {
    const port = await freePort();
    const options = ["--port", port, "--demo", "--database", "memory:"];
    const { child, output, errors } = start("serve", ...options);
    await new Promise<void>((resolve) => {
      child.stderr.on("data", () => {
        if (errors().includes("loading the demonstration")) resolve();
      });
    });
    const status = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    expect(await Promise.all([status("/readyz"), status("/healthz")])).toEqual([503, 200]);
    expect(output()).toBe("");
    await once(child.stdout, "data");
    expect(await status("/readyz")).toBe(200);
  });

  it("ends with 0 on SIGTERM before it listens", async () => {
    // Their secrets take long to hash, and the database is opened before.
    const many = Array.from({ length: 100 }, (_, i) => ({ ...client, id: `field-${i}` }));
    const place = placeOf("early");
    await mkdir(place);
    const opened = once(watch(place), "change");
    const { child, exit, errors } = start(
      "serve",
      "--port",
      "0",
      "--clients",
      await clientsFile(many),
      "--database",
      `sqlite:${join(place, "a.db")}`,
    );
    await opened;
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
    expect(errors()).not.toMatch(/listening| {4}at /);
  });

  it("refuses a database that later software wrote", async () => {
    const path = placeOf("later.db");
    await (await openSqliteStore({ path })).close();
    const file = new Sqlite(path);
    file.pragma("user_version = 99");
    file.close();
    const { code, errors } = await run("serve", "--port", "0", "--database", `sqlite:${path}`);
    expect(code).toBe(1);
    expect(errors).toContain("schema 99");
  });

  it("loads a file first, and does not start when one of its lines is refused", async () => {
    const path = placeOf("records.ndjson");
    const loading = ["--database", "memory:", "--clients", await clientsFile([client]), "--load", path];
    await writeFile(path, JSON.stringify(person("7")));
    const { url, authUrl, stop } = await serve(...loading);
    const headers = await authorization(authUrl);
    expect((await fetch(`${url}/Individual/urn:gov:ph:nid|7`, { headers })).status).toBe(200);
    expect(await stop()).toBe(0);
    await writeFile(path, [JSON.stringify(person("7")), '{"type":"Individual"}'].join("\n"));
    const { code, errors } = await run("serve", "--port", "0", ...loading);
    expect(code).toBe(1);
    expect(errors).toContain('"line":2');
    expect(errors).toMatch(/--load .*: 1 of its lines was refused/);
  });

  it("refuses a clients file with faults, each by its place", async () => {
    const path = await clientsFile([{ ...client, scopes: ["everything"] }, { id: "b" }]);
    const { code, errors } = await run("serve", "--database", "memory:", "--clients", path);
    expect(code).toBe(1);
    expect(errors).toContain("/0/scopes: everything is no scope");
    expect(errors).toContain("/1/secret: is missing");
    expect(errors).not.toContain("field-secret-of-tests");
  });
});

describe("fieldroll import", { timeout: 60_000 }, () => {
  it("tells bad lines, keeps the rest and says so by its status", async () => {
    const path = placeOf("import.ndjson");
    const database = ["--database", `sqlite:${placeOf("import.db")}`];
    const lines = ["{", JSON.stringify(person("7")), JSON.stringify(person("7"))];
    await writeFile(path, lines.join("\n"));
    const first = await run("import", path, ...database);
    expect(first.code).toBe(1);
    expect(first.errors).toContain('"line":1');
    expect(first.errors).toContain('"line":3,"fault":"is for the same record as line 2"');
    expect(first.errors).not.toContain("    at ");
    const fund = { value: "5000.00", currency: "PHP" };
    await writeFile(path, [person("7"), { ...program, fund }].map((line) => JSON.stringify(line)).join("\n"));
    const second = await run("import", path, ...database);
    expect(second.code).toBe(0);
  });

  it.each(["-", "/dev/stdin"])(
    "reads standard input as %s, line by line, and leaves nothing of it",
    async (name) => {
      const database = ["--database", `sqlite:${placeOf(`piped-${name.length}.db`)}`];
      const temporary = placeOf(`temporary-${name.length}`);
      await mkdir(temporary);
      vi.stubEnv("TMPDIR", temporary);
      const people = Array.from({ length: 450 }, (_, i) => person(String(i)));
      const lines = [household("1", ["Individual/urn:gov:ph:nid|449"]), ...people, "no JSON"];
      const { code, errors } = await runWith(ndjson(lines), "import", name, ...database);
      expect(code).toBe(1);
      expect(errors).toContain('"line":452');
      expect(errors).toContain('"imported":451,"refused":1');
      vi.unstubAllEnvs();
      expect((await readdir(temporary)).filter((entry) => entry.startsWith("fieldroll"))).toEqual([]);
    },
  );

  it.each(["-", "/dev/stdin"])("refuses %s where nothing comes in, and makes no registry", async (name) => {
    const database = placeOf(`nothing-${name.length}.db`);
    for (const input of ["", "\n \n"]) {
      const { code, errors } = await runWith(input, "import", name, "--database", `sqlite:${database}`);
      expect([code, errors]).toEqual([
        1,
        expect.stringContaining("Nothing came in by standard input, so nothing was imported."),
      ]);
    }
    expect(existsSync(database)).toBe(false);
  });

  it.each([
    [
      "a table",
      () => Array.from({ length: 5000 }, (_, i) => `${i},Reyes,Ana`).join("\n"),
      "none of its first 100 lines",
    ],
    [
      "a JSON document on many lines",
      () => JSON.stringify([person("1"), person("2")], null, 2),
      "no line of it",
    ],
    ["a JSON array on one line", () => JSON.stringify([person("1")]), "no line of it"],
  ])("refuses %s as a whole, and makes no registry for it", async (_name, text, which) => {
    const [path, database] = [placeOf("no-records.txt"), placeOf("not-made.db")];
    await writeFile(path, text());
    for (const command of [
      ["import", path],
      ["serve", "--port", "0", "--load", path],
    ]) {
      const where = command[0] === "import" ? `sqlite:${database}` : "memory:";
      const { code, errors } = await run(...command, "--database", where);
      expect(code).toBe(1);
      expect(errors).toContain(`${path} is no NDJSON of records, and nothing of it was imported: ${which}`);
      expect(errors).toContain('A line looks like {"type":"Individual"');
      expect(errors.match(/line refused/g)?.length).toBeLessThanOrEqual(3);
    }
    expect(existsSync(database)).toBe(false);
  });

  it("takes a file that refers to records of a file before it, and says on which lines those are missing", async () => {
    const database = ["--database", `sqlite:${placeOf("two-files.db")}`];
    const [people, groups] = [placeOf("people.ndjson"), placeOf("groups.ndjson")];
    await writeFile(people, ndjson([person("1"), person("2")]));
    await writeFile(groups, ndjson(["1", "2"].map((n) => household(n, [`Individual/urn:gov:ph:nid|${n}`]))));
    const early = await run("import", groups, ...database);
    expect(early.code).toBe(1);
    expect(early.errors).toMatch(/"line":1,.*\n.*"line":2,/);
    for (const file of [people, groups, groups])
      expect((await run("import", file, ...database)).code).toBe(0);
  });
});
