import { createMemoryStore, createRegistry, operator, type RegistryView, type Store } from "@fieldroll/core";
import { createClientDirectory, createHandler, createIssuer, type Handler } from "@fieldroll/server";
import { listen, scryptSecrets } from "@fieldroll/server/node";
import { v7 } from "uuid";

const scopes = ["registry:read", "registry:write", "program:read", "program:write"];

/** Who may sign in to the servers of tests. */
export const testClients = {
  enumerator: { id: "enumerator", secret: "walk-house-to-house", scopes, legalBasis: "public_task" },
  office: { id: "office", secret: "at-the-desk", scopes, legalBasis: "public_task" },
} as const;

export interface TestServer {
  readonly handler: Handler;
  /** What the server holds, as its operator sees it. */
  readonly registry: RegistryView;
  readonly store: Store;
  readonly clients: typeof testClients;
}

/** The real handler over a store, without a port. */
export async function makeTestServer(
  store: Store = createMemoryStore(),
  clock: () => Date = () => new Date(),
): Promise<TestServer> {
  const registry = createRegistry({ store, clock, newId: () => v7() });
  const secrets = scryptSecrets();
  const clients = await createClientDirectory(Object.values(testClients), secrets);
  const issuer = createIssuer({ store, clients, secrets, clock });
  const handler = createHandler({ registry, issuer, clock });
  return { handler, registry: registry.as(operator), store, clients: testClients };
}

/** The same behind a real listener on a free port of this machine. */
export async function serveForTest(
  store?: Store,
): Promise<TestServer & { readonly url: string; close(): Promise<void> }> {
  const server = await makeTestServer(store);
  const listening = await listen({ handler: server.handler, port: 0 });
  const close = async () => {
    await listening.close();
    await server.store.close();
  };
  return { ...server, url: `${listening.url}/api/v2`, close };
}
