import type { Store } from "@fieldroll/core";

/** Which store is tortured; plain data, as it goes to the writer's process as an argument. */
export type Target =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string; readonly schema: string };

/** A store, and what can be done to it. */
export interface Subject {
  readonly target: Target;
  /** Where a server can be killed: ends it without a word, and starts it again on what it left. */
  readonly server?: { kill(): Promise<void>; start(): Promise<void> };
  /** Waits until nothing is left under way of what a killed writer asked for; at once where it takes all with it. */
  settled?(): Promise<void>;
  /** Deletes the store. */
  drop(): Promise<void>;
}

/** Opens a store, here or in the writer's process. Each adapter is loaded only where it is meant. */
export async function openTarget(target: Target): Promise<Store> {
  if (target.kind === "sqlite") {
    const { openSqliteStore } = await import("@fieldroll/storage/sqlite");
    return openSqliteStore({ path: target.path });
  }
  const { openPostgresStore } = await import("@fieldroll/storage/postgres");
  return openPostgresStore({ connectionString: target.url, schema: target.schema, connections: 8 });
}
