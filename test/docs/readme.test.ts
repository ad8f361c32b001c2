import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createMemoryStore, type Individual, type Outcome, unwrap } from "@fieldroll/core";
import { createFieldClient, createFieldService, type FieldClient, type ParkedRecord } from "@fieldroll/sync";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeTestServer, serveForTest } from "../serve.ts";
import { example, exampleNames, written } from "./readme-examples.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs an example as a module and gives what it printed. */
async function run(name: string): Promise<string> {
  const file = await written(name);
  const print = vi.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    await import(`${pathToFileURL(file).href}?run=${process.hrtime.bigint()}`);
    return print.mock.calls.map((words) => words.map((word) => JSON.stringify(word)).join(" ")).join("\n");
  } finally {
    print.mockRestore();
  }
}

describe("README.md", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "fieldroll-readme-"));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });

  it("keeps each example within 20 lines of code", async () => {
    for (const name of ["embed", "serve", "device", "decide"]) {
      const lines = (await example(name))
        .split("\n")
        .filter((line) => line.trim() !== "" && !/^\s*\/\//.test(line));
      expect(lines.length, name).toBeLessThanOrEqual(20);
    }
  });

  it("shows examples that a strict compiler accepts", async () => {
    const files = await Promise.all(exampleNames.map(written));
    const config = join(root, ".cache", "readme", "tsconfig.json");
    const compilerOptions = { lib: ["ES2023", "DOM"], types: ["node"], noEmit: true };
    await writeFile(config, JSON.stringify({ extends: "../../tsconfig.json", compilerOptions, files }));
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", config], { encoding: "utf8" });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  }, 120_000);

  it("embeds the core as shown", async () => {
    const printed = await run("embed");
    expect(printed).toContain('"conflict"');
    expect(printed).toContain("Reyes, born 1988-04-02");
  });

  const startServing = async (port: number) => {
    const file = await written("serve");
    const env = { ...process.env, DATABASE: join(folder, "registry.db"), PORT: String(port) };
    const flags = ["--import", "tsx", "--conditions=@fieldroll/source"];
    return spawn(process.execPath, [...flags, file], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  };

  it("serves from a program of one's own as shown, and ends when told to", async () => {
    const child = await startServing(0);
    const [address] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    expect((await fetch(address)).status).toBe(200);
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
  });

  it("says where nothing can be served, and what to do", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const child = await startServing(port);
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    taken.close();
    expect(said).toContain(
      `Error: Port ${port} of 127.0.0.1 can't be listened on: another program listens there.`,
    );
    expect(code).toBe(1);
  });

  it("says where no server is reached from a device, and what to do", async () => {
    const gone = createServer().listen(0, "127.0.0.1");
    await once(gone, "listening");
    const { port } = gone.address() as AddressInfo;
    gone.close();
    await once(gone, "close");
    vi.stubEnv("SERVER", `http://127.0.0.1:${port}/api/v2`);
    await expect(run("device")).rejects.toThrow(
      `The server http://127.0.0.1:${port} can't be reached. Check the network, and that the server runs there; then try again.`,
    );
  });

  it("edits on a device and sends as shown", async () => {
    const server = await serveForTest();
    try {
      vi.stubEnv("SERVER", server.url);
      vi.stubEnv("SECRET", server.clients.enumerator.secret);
      expect(await run("device")).toContain("Reyes: 0 not sent, 0 parked");
      const group = await server.registry.groups.search({ name: "Reyes" });
      expect(group).toMatchObject({ ok: true, value: { data: [{ quantity: 1 }] } });
    } finally {
      await server.close();
    }
  });
});

describe("the decision on a parked record in README.md", () => {
  type Decide = (
    client: FieldClient,
    parked: ParkedRecord,
    said: "ours" | "theirs" | "give up",
  ) => Promise<Outcome<void>>;
  const address = { system: "urn:example:id", value: "4711" };
  const number = { system: "urn:gov:ph:nid", value: "7" };
  const ana = { identifier: [address, number], name: { family: "Reyes", given: "Ana" } };

  /** A device on a server, what its one parked record is, and how it is decided on as shown. */
  async function onDevice() {
    const { decide }: { decide: Decide } = await import(pathToFileURL(await written("decide")).href);
    const { handler, registry, clients } = await makeTestServer();
    const service = createFieldService({
      ...{ server: "http://registry.test/api/v2", store: createMemoryStore(), automatic: false },
      fetch: (url, init) => handler(new Request(url, init)),
    });
    const client = createFieldClient({ service });
    const { id: clientId, secret: clientSecret } = clients.enumerator;
    unwrap(await client.signIn({ clientId, clientSecret }));
    const settle = async (reason: ParkedRecord["reason"], said: "ours" | "theirs" | "give up") => {
      expect(await client.sync()).toMatchObject({ parked: 1 });
      for (const parked of await client.parked()) {
        expect(parked.reason).toBe(reason);
        unwrap(await decide(client, parked, said));
      }
      expect(await client.sync()).toMatchObject({ parked: 0, pending: 0, sending: 0 });
    };
    return { client, registry, settle };
  }

  it.each([
    ["ours", "Anita"],
    ["theirs", "Anna"],
    ["give up", "Anna"],
  ] as const)("says %s of a field that both changed", async (said, given) => {
    const { client, registry, settle } = await onDevice();
    const { reference } = unwrap(await client.individuals.create(ana));
    await client.sync();
    unwrap(await registry.individuals.patch(address, { name: { given: "Anna" } }, { ifMatch: "*" }));
    const edit = (draft: Individual) => {
      draft.name.given = "Anita";
    };
    unwrap(await client.individuals.update(reference, edit));
    await settle("conflict", said);
    expect(unwrap(await registry.individuals.read(address)).name.given).toBe(given);
    expect(unwrap(await client.individuals.read(reference)).record.name.given).toBe(given);
    await client.close();
  });

  it("makes a duplicate the record that is registered already", async () => {
    const { client, registry, settle } = await onDevice();
    unwrap(await registry.individuals.create({ type: "Individual", ...ana }));
    const doubled = { ...ana, identifier: [number], birthDate: "1988-04-02" };
    unwrap(await client.individuals.create({ ...doubled, name: { ...ana.name, given: "Anita" } }));
    await settle("duplicate", "theirs");
    expect(unwrap(await registry.individuals.read(address))).toMatchObject({
      ...{ name: { given: "Ana" }, birthDate: "1988-04-02" },
    });
    await client.close();
  });
});

describe("the READMEs of packages and examples", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "fieldroll-readmes-"));
    vi.stubEnv("DATABASE", join(folder, "registry.db"));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ["core", /^"Individual\/urn:example:id\|4711" "1"\n.*"Cruz".*"1988-04-02".* 0$/],
    [
      "caller",
      /^"authorization"\n\{"type":"Individual","identifier":\[[^\]]*\],"name":\{"family":"Reyes","given":"Ana","text":"Ana Reyes"\}\}$/,
    ],
    ["storage", /^\["Ana Reyes"\]\n"\d+ documents copied"$/],
    ["server", /^200 .*"data":\[\]/],
    ["sync", /^"Individual\/\S+" .*"pending":0.*\n\[\{"path":"\/name\/given".*\n.*"parked":0/],
    ["node-service", /^\["Individual\/\S+","Group\/\S+"\]$/],
    ["test-harness", /^"Individual\/\S+" "2026-01-31T08:00:00.000Z"$/],
  ])("%s: shows an example that runs as it stands", async (name, printed) => {
    expect(await run(name)).toMatch(printed);
  });

  it("are there, each with how to install or run it and with a way to the rest", async () => {
    for (const place of ["packages", "examples"]) {
      for (const name of await readdir(join(root, place))) {
        const page = await readFile(join(root, place, name, "README.md"), "utf8");
        expect(page, name).toMatch(/^# /);
        expect(page, name).toMatch(/^ {4}(npm (install|start|run)|npx vitest) /m);
        expect(page, name).toMatch(/\]\(\.\.\/\.\.\//);
      }
    }
  });
});
