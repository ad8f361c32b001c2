import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createRegistry } from "@fieldroll/core";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { person, program } from "./fixture.ts";
import {
  authorization,
  client,
  clientsFile,
  run,
  runInto,
  serve,
  start,
  useCommandLine,
} from "./support/command-line.ts";

const placeOf = useCommandLine();

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
    const path = placeOf("audit.db");
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
    const file = placeOf("exported.ndjson");
    const [from, to] = ["a", "b"].map((name) => ["--database", `sqlite:${placeOf(`export-${name}.db`)}`]);
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
    const out = placeOf("out.ndjson");
    expect((await run("export", out, ...(from ?? []))).code).toBe(0);
    expect(await readFile(out, "utf8")).toBe(printed.output);
    expect((await run("import", out, ...(to ?? []))).code).toBe(0);
    expect((await run("export", "-", ...(to ?? []))).output).toBe(printed.output);
  });

  describe("to a name", () => {
    const database = () => ["--database", `sqlite:${placeOf("named.db")}`];
    beforeAll(async () => {
      const file = placeOf("named.ndjson");
      await writeFile(file, JSON.stringify(person("1")));
      expect((await run("import", file, ...database())).code).toBe(0);
    }, 60_000);
    const parts = async () => (await readdir(placeOf("."))).filter((name) => name.endsWith(".part"));

    it("that the database itself has is refused, and leaves it as it is", async () => {
      const before = await readFile(placeOf("named.db"));
      const { code, errors } = await run("export", placeOf("named.db"), ...database());
      expect([code, errors]).toEqual([
        1,
        expect.stringMatching(/named\.db: there is a file of this name.*Name another/),
      ]);
      expect((await readFile(placeOf("named.db"))).equals(before)).toBe(true);
      expect(await parts()).toEqual([]);
    });

    it.each(["a file", "a folder", "a link that leads nowhere"])("of %s is refused", async (what) => {
      const path = placeOf(`taken-${what.replaceAll(" ", "-")}`);
      if (what === "a file") await writeFile(path, "");
      else if (what === "a folder") await mkdir(path);
      else await symlink(placeOf("nowhere"), path);
      const { code, errors } = await run("export", path, ...database());
      expect([code, errors]).toEqual([1, expect.stringContaining("an export replaces none")]);
      expect(existsSync(placeOf("nowhere"))).toBe(false);
      expect(await parts()).toEqual([]);
    });

    it("is written beside what others laid there, for the owner alone", async () => {
      const [path, kept] = [placeOf("mine.ndjson"), placeOf("kept")];
      await writeFile(kept, "kept");
      await symlink(kept, `${path}.part`);
      expect((await run("export", path, ...database())).code).toBe(0);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ type: "Individual" });
      expect(await readFile(kept, "utf8")).toBe("kept");
      await rm(`${path}.part`);
      expect(await parts()).toEqual([]);
    });

    it("is given to one of two exports", async () => {
      const path = placeOf("raced.ndjson");
      const ended = await Promise.all([
        run("export", path, ...database()),
        run("export", path, ...database()),
      ]);
      expect(ended.map(({ code }) => code).toSorted()).toEqual([0, 1]);
      expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ type: "Individual" });
      expect(await parts()).toEqual([]);
    });

    it("in a folder that is not there is refused", async () => {
      const path = placeOf("no-folder/out.ndjson");
      const { code, errors } = await run("export", path, ...database());
      const says = `${path} can't be written (ENOENT): there is no folder ${placeOf("no-folder")}, so nothing was written. Make it first.`;
      expect([code, errors]).toEqual([1, expect.stringContaining(says)]);
    });
  });

  it.skipIf(!existsSync("/dev/full"))("says in a sentence that standard output is full", async () => {
    const [file, database] = [placeOf("one.ndjson"), ["--database", `sqlite:${placeOf("one.db")}`]];
    await writeFile(file, JSON.stringify(person("1")));
    expect((await run("import", file, ...database)).code).toBe(0);
    const { code, errors } = await runInto("/dev/full", "export", ...database);
    expect([code, errors]).toEqual([
      1,
      expect.stringMatching(/^fieldroll: Standard output can't be written \(ENOSPC\).*\n$/m),
    ]);
    expect(errors).not.toContain("    at ");
  });

  it("ends without a word, as by SIGPIPE, when nobody reads on, as in `export | head -1`", async () => {
    const [file, database] = [placeOf("many.ndjson"), ["--database", `sqlite:${placeOf("many.db")}`]];
    // More than a pipe holds.
    const people = Array.from({ length: 2000 }, (_, i) => JSON.stringify(person(String(i))));
    await writeFile(file, people.join("\n"));
    expect((await run("import", file, ...database)).code).toBe(0);
    const { child, exit, errors } = start("export", ...database);
    const [first] = (await once(child.stdout, "data")) as [Buffer];
    child.stdout.destroy();
    expect(JSON.parse(first.toString().split("\n")[0] ?? "")).toMatchObject({ type: "Individual" });
    expect([await exit, errors()]).toEqual([141, ""]);
  });
});
