import { spawnSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import { afterAll, beforeAll, expect, it } from "vitest";
import { api, origin, type Service, startService } from "./fixture.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const flowsFile = fileURLToPath(new URL("support/generated-client/flows.ts.txt", import.meta.url));
const tsc = join(root, "node_modules/typescript/bin/tsc");

const compilerOptions = {
  strict: true,
  noEmit: true,
  target: "ES2023",
  lib: ["ES2023", "DOM", "DOM.Iterable"],
  module: "ESNext",
  moduleResolution: "Bundler",
  allowImportingTsExtensions: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  types: [],
};

interface Flows {
  create(value: string): Promise<unknown>;
  read(value: string): Promise<unknown>;
  patch(value: string, version: string): Promise<unknown>;
  collect(): Promise<unknown>;
  register(): Promise<unknown>;
  bundle(): Promise<unknown>;
}

type Module = {
  flowsOf(fetch: (request: Request) => Promise<Response>, baseUrl: string, token: string): Flows;
};

let folder: string;
let service: Service;
let flows: Flows;

/** A client as a systems integrator makes one: types from the live document, in a folder of their own. */
beforeAll(async () => {
  service = await startService();
  const document = await (await service.handle(new Request(`${origin}/openapi.json`))).json();
  await mkdir(join(root, ".cache"), { recursive: true });
  folder = await mkdtemp(join(root, ".cache/openapi-client-"));
  await writeFile(join(folder, "schema.ts"), astToString(await openapiTS(document)));
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  await copyFile(flowsFile, join(folder, "flows.ts"));
  const { flowsOf } = (await import(/* @vite-ignore */ join(folder, "flows.ts"))) as Module;
  flows = flowsOf(service.handle, api, await service.tokenOf("writer"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

it("compiles strictly, and does not compile what the document forbids", { timeout: 120_000 }, () => {
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
    encoding: "utf8",
  });
  expect(stdout).toBe("");
});

it("creates, reads, and changes with If-Match", async () => {
  expect(await flows.create("1")).toEqual({ location: `${api}/Individual/urn:gov:ph:nid|1`, version: "1" });
  expect(await flows.read("1")).toEqual({ given: "Ana 1", version: "1", gender: undefined });
  expect(await flows.patch("1", "1")).toEqual({ given: "Maria", version: "2", gender: undefined });
});

it("knows a conflict by its type", async () => {
  await flows.create("2");
  await flows.patch("2", "1");
  expect(await flows.patch("2", "1")).toMatchObject({ conflict: 409 });
});

it("collects all pages of a search", async () => {
  for (const value of ["3", "4", "5"]) await flows.create(value);
  expect(await flows.collect()).toEqual(expect.arrayContaining(["3", "4", "5"]));
});

it("creates a registrant and reads it by its ext_id", async () => {
  expect(await flows.register()).toEqual({
    name: "Ana Reyes",
    gender: "female",
    model: "service.registrant",
  });
});

it("sends a household and its member in one bundle", async () => {
  expect(await flows.bundle()).toEqual([201, 201]);
});
