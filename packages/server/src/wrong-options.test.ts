import { createMemoryStore, createRegistry, operator, type Store } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { createHandler, type HandlerOptions } from "./http/handler.ts";
import { createReadAudit, type ReadAuditOptions } from "./http/read-audit.ts";
import { routeTable } from "./http/route-table.ts";
import { listen, openAppFolder, scryptSecrets, withApp } from "./node/index.ts";
import { authorizationServerMetadata, keySetResponse } from "./oauth/authorization-server.ts";
import { createClientDirectory } from "./oauth/clients.ts";
import { createIssuer, type Issuer, type IssuerOptions } from "./oauth/issuer.ts";
import { createStoredClients, joinDirectories } from "./oauth/stored-clients.ts";
import { createV1 } from "./v1/create-v1.ts";

const store = createMemoryStore();
const clients = { find: async () => undefined };
const secrets = scryptSecrets({ cost: 2 });
const registry = createRegistry({ store, clock: () => new Date(0), newId: () => "x" });
const issuer = createIssuer({ store, clients, secrets });
const handler = async () => new Response();
const storeWords = "a store, such as createMemoryStore() or what openSqliteStore resolves to";

const handlerOf = (options: unknown) => createHandler(options as HandlerOptions);
const issuerOf = (options: unknown) => createIssuer(options as IssuerOptions);
const auditOf = (options: unknown) => createReadAudit(options as ReadAuditOptions);

describe("what can't be meant is refused at once, in words", () => {
  it.each<[string, () => unknown, string]>([
    [
      "a handler of nothing",
      () => handlerOf(undefined),
      "createHandler: registry must be a registry, as createRegistry makes it, and not the view that its as() gives; issuer must be an issuer, as createIssuer makes it.",
    ],
    [
      "a handler of a view",
      () => handlerOf({ registry: registry.as(operator), issuer }),
      "createHandler: registry must be a registry, as createRegistry makes it, and not the view that its as() gives.",
    ],
    [
      "a handler without an issuer",
      () => handlerOf({ registry }),
      "createHandler: issuer must be an issuer, as createIssuer makes it.",
    ],
    [
      "a mode of version 1 that there is not",
      () => handlerOf({ registry, issuer, v1: "on" }),
      'createHandler: v1 must be "gone", "warn" or "off".',
    ],
    [
      "an address that is none",
      () => handlerOf({ registry, issuer, publicUrl: "registry" }),
      "createHandler: publicUrl must be a whole address, such as https://registry.example.",
    ],
    [
      "origins without a list",
      () => handlerOf({ registry, issuer, cors: true }),
      'createHandler: cors must be the origins whose pages may call, such as { origins: ["https://app.example"] }.',
    ],
    [
      "a proxy by its name",
      () => handlerOf({ registry, issuer, trustedProxies: ["proxy.example"] }),
      "createHandler: trustedProxies must be a list of addresses and networks, such as 10.0.0.0/8.",
    ],
    [
      "a rate limit that lets nobody in",
      () => handlerOf({ registry, issuer, rateLimit: { perSecond: 1, burst: 0 } }),
      'createHandler: rateLimit must be { perSecond, burst }, more than 0 a second and 1 or more at once, or "off".',
    ],
    [
      "a clock that is an instant",
      () => handlerOf({ registry, issuer, clock: new Date(0) }),
      "createHandler: clock must be a function that tells the present instant, such as () => new Date().",
    ],
    [
      "an issuer of nothing",
      () => issuerOf({}),
      `createIssuer: store must be ${storeWords}; clients must be a directory of clients, such as createStoredClients(store); secrets must be what hashes secrets, such as scryptSecrets().`,
    ],
    [
      "clients in a list",
      () => issuerOf({ store, clients: [clients], secrets }),
      "createIssuer: clients must be a directory of clients, such as createStoredClients(store).",
    ],
    [
      "a lifetime that is a text",
      () => issuerOf({ store, clients, secrets, lifetimeSeconds: "1h" }),
      "createIssuer: lifetimeSeconds must be a number, 0 or more.",
    ],
    [
      "a trusted issuer without an audience",
      () => issuerOf({ store, clients, secrets, trusted: [{ issuer: "x" }] }),
      "createIssuer: trusted must be a list of { issuer, audience }.",
    ],
    [
      "an audit of nothing",
      () => auditOf({}),
      `createReadAudit: store must be ${storeWords}; newId must be a function that gives a new UUIDv7, such as v7 of the package uuid; schedule must be a function that runs a task later, such as setTimeout.`,
    ],
    [
      "clients of no store",
      () => createStoredClients(undefined as unknown as Store),
      `createStoredClients: store must be ${storeWords}.`,
    ],
    [
      "clients of a store that was not waited for",
      () => createStoredClients(Promise.resolve(store) as unknown as Store),
      `createStoredClients: store must be ${storeWords}.`,
    ],
    [
      "directories in a list",
      () => joinDirectories([clients] as never),
      "joinDirectories: directories must be directories of clients, each an argument of its own.",
    ],
    ["version 1 of no store", () => createV1({} as Store), `createV1: store must be ${storeWords}.`],
    [
      "routes of nothing",
      () => routeTable(undefined as never),
      "routeTable: programs must be true or false: whether there are programs.",
    ],
    [
      "metadata of nothing",
      () => authorizationServerMetadata(undefined as never),
      "authorizationServerMetadata: authUrl must be the origin of the server, such as https://registry.example; scopes must be a list of texts.",
    ],
    [
      "an app of nothing",
      () => withApp(handler, undefined as never, undefined as never),
      "withApp: app must be what openAppFolder resolves to; isServicePath must be a function that tells the API's own paths.",
    ],
    [
      "a cost that scrypt does not take",
      () => scryptSecrets({ cost: 3 }),
      "scryptSecrets: cost must be a power of two, such as 16384.",
    ],
  ])("%s", (_, call, sentence) => {
    expect(call).toThrow(new TypeError(sentence));
  });

  it.each<[string, () => Promise<unknown>, string]>([
    [
      "a directory of nothing",
      () => createClientDirectory(undefined as never, secrets),
      "createClientDirectory: registrations must be a list of { id, secret, scopes }.",
    ],
    [
      "a registration without a secret",
      () => createClientDirectory([{ id: "a", scopes: [] }] as never, secrets),
      "createClientDirectory: registrations must be a list of { id, secret, scopes }.",
    ],
    [
      "keys of nobody",
      () => keySetResponse(undefined as unknown as Issuer),
      "keySetResponse: issuer must be an issuer, as createIssuer makes it.",
    ],
    [
      "an app folder without a path",
      () => openAppFolder(undefined as never),
      "openAppFolder: folder must be the path of a folder, as text.",
    ],
    [
      "a listener of nothing",
      () => listen(undefined as never),
      "listen: handler must be a function of a Request, such as createHandler makes; port must be a whole number from 0 to 65535, as a number; 0 picks a free one.",
    ],
  ])("%s", async (_, call, sentence) => {
    await expect(call()).rejects.toThrow(new TypeError(sentence));
  });
});

describe("a clock that gives no instant", () => {
  const clock = (() => 5) as unknown as () => Date;
  const sentence = "clock must give a valid Date, such as new Date(); it gave 5.";
  it("is told at the first use: of an issuer", async () => {
    const made = createIssuer({ store, clients, secrets, clock });
    await expect(made.publicKeys()).rejects.toThrow(new TypeError(`createIssuer: ${sentence}`));
  });

  it("is told at the first use: of a handler", async () => {
    const handle = createHandler({ registry, issuer, clock });
    const asking = handle(new Request("http://localhost/healthz"));
    await expect(asking).rejects.toThrow(new TypeError(`createHandler: ${sentence}`));
  });
});
