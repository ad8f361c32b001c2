import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createRegistry } from "@fieldroll/core";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import Sqlite from "better-sqlite3";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { person, program } from "./fixture.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const main = join(root, "packages/server/src/cli/main.ts");
const running = new Set<ChildProcess>();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-cli-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});

function start(...options: string[]) {
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "--conditions=@fieldroll/source", main, ...options],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  running.add(child);
  let errors = "";
  let output = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const exit = once(child, "close").then(([code]) => code as number | null);
  return { child, exit, errors: () => errors, output: () => output };
}

/** Runs a command that is to end by itself. */
async function run(...options: string[]) {
  const { exit, errors, output } = start(...options);
  return { code: await exit, errors: await exit.then(errors), output: await exit.then(output) };
}

/** Starts a server and reads its first line. */
async function serve(...options: string[]) {
  const started = start("serve", "--port", "0", ...options);
  const lines = createInterface({ input: started.child.stdout as NodeJS.ReadableStream });
  const [line] = await Promise.race([
    once(lines, "line"),
    started.exit.then((code) => {
      throw new Error(`ended with ${code} before it listened:\n${started.errors()}`);
    }),
  ]);
  const addresses = JSON.parse(line) as { url: string; authUrl: string; appUrl: string | null };
  const stop = async () => {
    started.child.kill("SIGTERM");
    return started.exit;
  };
  return { ...started, ...addresses, stop };
}

async function clientsFile(content: unknown): Promise<string> {
  const path = join(folder, `clients-${crypto.randomUUID()}.json`);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const client = {
  id: "field",
  secret: "field-secret-of-tests",
  scopes: ["registry:read", "registry:write"],
  legalBasis: "public_task",
};

async function authorization(
  authUrl: string,
  { id, secret }: { readonly id: string; readonly secret: string } = client,
): Promise<Record<string, string>> {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: id,
    client_secret: secret,
  });
  const answer = await fetch(`${authUrl}/oauth2/token`, { method: "POST", body });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
}

describe("fieldroll serve", { timeout: 60_000 }, () => {
  it("tells its addresses, keeps records and tokens over a restart, ends with 0 on SIGTERM", async () => {
    const options = [
      "--database",
      `sqlite:${join(folder, "new/folder/a.db")}`,
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
    const app = join(folder, "app");
    await mkdir(app, { recursive: true });
    await writeFile(join(app, "index.html"), "<!doctype html>");
    const { appUrl, authUrl, stop } = await serve("--database", "memory:", "--app", app);
    expect(appUrl).toBe(`${authUrl}/`);
    const page = await fetch(`${appUrl}people/7`, { headers: { Accept: "text/html" } });
    expect(page.headers.get("Content-Type")).toContain("text/html");
    expect((await fetch(`${authUrl}/metadata`)).headers.get("Content-Type")).toContain("json");
    expect(await stop()).toBe(0);
  });

  it("without programs has none", async () => {
    const { url, stop } = await serve("--database", "memory:", "--no-programs");
    const metadata = (await (await fetch(`${url}/metadata`)).json()) as { resources: { type: string }[] };
    expect(metadata.resources.map(({ type }) => type)).toEqual(["Individual", "Group", "Consent"]);
    expect(await stop()).toBe(0);
  });

  it("ends with 1 and a way out when the port is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const { code, errors } = await run("serve", "--database", "memory:", "--port", String(port));
    taken.close();
    expect(code).toBe(1);
    expect(errors).toMatch(new RegExp(`Port ${port} .*taken.*--port`));
    expect(errors).not.toContain("    at ");
  });

  it("refuses a file that is no database, and leaves it as it was", async () => {
    const path = join(folder, "letter.db");
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
    const options = ["serve", "--port", "0", "--demo", "--database", `sqlite:${join(folder, "demo.db")}`];
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

  it("ends with 0 on SIGTERM before it listens", async () => {
    // Their secrets take long to hash, and the database is opened before.
    const many = Array.from({ length: 100 }, (_, i) => ({ ...client, id: `field-${i}` }));
    const place = join(folder, "early");
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
    expect(errors()).toBe("");
  });

  it("refuses a database that later software wrote", async () => {
    const path = join(folder, "later.db");
    await (await openSqliteStore({ path })).close();
    const file = new Sqlite(path);
    file.pragma("user_version = 99");
    file.close();
    const { code, errors } = await run("serve", "--port", "0", "--database", `sqlite:${path}`);
    expect(code).toBe(1);
    expect(errors).toContain("schema 99");
  });

  it("loads a file first, and does not start when one of its lines is refused", async () => {
    const path = join(folder, "records.ndjson");
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
    expect(errors).toContain("--load");
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
    const path = join(folder, "import.ndjson");
    const database = ["--database", `sqlite:${join(folder, "import.db")}`];
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
});

describe("fieldroll client", { timeout: 60_000 }, () => {
  it("adds, lists and switches clients of a server that runs", async () => {
    const database = ["--database", `sqlite:${join(folder, "clients.db")}`];
    const { url, authUrl, errors, stop } = await serve(...database);
    expect(errors()).toContain("NOBODY CAN CALL");
    const added = await run(
      ...["client", "add", "ngo", "--scopes", "registry:read,program:read", ...database],
      ...["--organization", "Hope", "--organization-type", "ngo", "--fields", "name,birthDate"],
    );
    expect([added.code, added.errors]).toEqual([0, ""]);
    const ngo = JSON.parse(added.output) as { id: string; secret: string };
    expect(ngo.secret.length).toBeGreaterThanOrEqual(32);

    const headers = await authorization(authUrl, ngo);
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
    });
    expect((await run("client", "disable", "ngo", ...database)).code).toBe(0);
    expect(await read()).toBe(401);
    expect((await run("client", "enable", "ngo", ...database)).code).toBe(0);
    expect(await read()).toBe(200);
    expect((await run("keys", "rotate", ...database)).code).toBe(0);
    expect(await read()).toBe(200);
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
    ["a client that is not there", ["client", "disable", "nobody", ...database], "no client nobody"],
  ];
  it.each(refused)("refuses %s", async (_case, options, message) => {
    const { code, errors, output } = await run(...options);
    expect([code, output]).toEqual([1, ""]);
    expect(errors).toContain(message);
    expect(errors).not.toContain("    at ");
  });

  it("refuses a secret of fewer than 16 characters, and never repeats it", async () => {
    const path = join(folder, "secret.txt");
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

describe("the log of a busy server", { timeout: 60_000 }, () => {
  it("holds no name, identifier, birth date, secret or token, whatever goes wrong", async () => {
    const { url, authUrl, errors, stop } = await serve(
      ...["--database", "memory:", "--v1", "warn", "--clients", await clientsFile([client])],
    );
    const headers = await authorization(authUrl);
    const ana = { ...person("99887766"), birthDate: "1987-06-05", address: [{ city: "Zamboanga" }] };
    const ask = (method: string, path: string, body?: unknown, more: Record<string, string> = {}) =>
      fetch(`${url}${path}`, {
        method,
        headers: { ...headers, ...more },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
    const place = "/Individual/urn:gov:ph:nid|99887766";
    const statuses = [
      await ask("POST", "/Individual", ana),
      await ask("POST", "/Individual", ana),
      await ask("POST", "/Individual", { ...ana, birthDate: "Zamboanga" }),
      await ask("POST", "/Individual", '{"name":"Zamboanga'),
      await ask("GET", place),
      await ask("GET", `${place}-nobody`),
      await ask("GET", "/Individual?name=Zamboanga&birthdate=1987-06-05"),
      await ask("GET", "/Individual?Zamboanga=1"),
      await ask("PATCH", place, { birthDate: "1987-06-05" }, { "If-Match": '"77"' }),
      await ask("GET", "/Zamboanga/99887766"),
      await ask("GET", place, undefined, { Authorization: "Bearer Zamboanga.token.99887766" }),
      await ask("GET", place, undefined, { "X-Request-Id": "Zamboanga 99887766" }),
      await fetch(`${authUrl}/api/v1/g2p/registry/registrant`, {
        headers: { Authorization: `Basic ${btoa("field:field-secret-of-tests")}` },
      }),
      await fetch(`${authUrl}/api/v1/g2p/Zamboanga/99887766`),
    ].map(({ status }) => status);
    expect(statuses).toEqual([201, 409, 422, 400, 200, 404, 200, 400, 409, 404, 401, 200, 200, 404]);
    expect(await stop()).toBe(0);
    const log = errors();
    expect(log.split("\n").filter((line) => line.includes('"answered"')).length).toBeGreaterThan(14);
    const token = headers.Authorization?.slice(7) ?? "";
    for (const secret of ["Zamboanga", "99887766", "1987-06-05", "Reyes", "Ana", "field-secret", token]) {
      expect(log).not.toContain(secret);
    }
  });

  it("leaves an audit entry of the last read behind", async () => {
    const path = join(folder, "audit.db");
    const options = ["--database", `sqlite:${path}`, "--clients", await clientsFile([client])];
    const { url, authUrl, stop } = await serve(...options);
    const headers = await authorization(authUrl);
    await fetch(`${url}/Individual`, { method: "POST", headers, body: JSON.stringify(person("1")) });
    const read = await fetch(`${url}/Individual/urn:gov:ph:nid|1`, {
      headers: { ...headers, "X-Request-Id": "the-last-one" },
    });
    expect(read.status).toBe(200);
    expect(await stop()).toBe(0);
    const store = await openSqliteStore({ path });
    const registry = createRegistry({ store, clock: () => new Date(), newId: () => crypto.randomUUID() });
    const trail = await registry.audit();
    expect(trail.ok && trail.value.data.map(({ action, requestId }) => [action, requestId])).toContainEqual([
      "read",
      "the-last-one",
    ]);
    await store.close();
  });
});

describe("fieldroll export", { timeout: 60_000 }, () => {
  it("writes to standard output and to a file what import reads", async () => {
    const file = join(folder, "exported.ndjson");
    const [from, to] = ["a", "b"].map((name) => [
      "--database",
      `sqlite:${join(folder, `export-${name}.db`)}`,
    ]);
    const lines = [person("1"), { ...program, fund: { value: "10.00", currency: "PHP" } }];
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join("\n"));
    expect((await run("import", file, ...(from ?? []))).code).toBe(0);
    const printed = await run("export", ...(from ?? []));
    expect(printed.code).toBe(0);
    expect(
      printed.output
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([lines[1], lines[0]]);
    const out = join(folder, "out.ndjson");
    expect((await run("export", out, ...(from ?? []))).code).toBe(0);
    expect(await readFile(out, "utf8")).toBe(printed.output);
    expect((await run("import", out, ...(to ?? []))).code).toBe(0);
    expect((await run("export", "-", ...(to ?? []))).output).toBe(printed.output);
  });
});
