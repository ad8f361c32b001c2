import {
  type JsonObject,
  operator,
  type Registry,
  type RegistryView,
  type ResourceType,
  type WriteEntry,
} from "@fieldroll/core";
import type { ClientRegistration } from "../oauth/clients.ts";

const organization = { organization: "Ministry of Social Welfare", organizationType: "government" };

/** Who may sign in to the demonstration. The secrets are public: never use them for real records. */
export const demoClients: readonly ClientRegistration[] = [
  {
    id: "enumerator",
    secret: "walk-house-to-house",
    scopes: ["registry:read", "registry:write", "program:read", "program:write"],
    ...organization,
    legalBasis: "public_task",
  },
  {
    id: "supervisor",
    secret: "look-twice-sign-once",
    scopes: ["registry:read", "registry:write", "program:read", "program:write"],
    ...organization,
    legalBasis: "public_task",
  },
];

const batchSize = 200;

/**
 * Loads the demonstration's records into an empty registry; one that holds any group is left alone.
 *
 * @param options.onProgress called with the records written and all there are
 * @returns how many records were written
 */
export async function loadDemo(
  registry: Registry,
  options: { readonly today: string; readonly onProgress: (done: number, all: number) => void },
): Promise<number> {
  const view = registry.as(operator);
  if (!(await isEmpty(view))) return 0;
  const { demoRecords } = await import("@fieldroll/core/demo");
  const records = [...demoRecords({ seed: 2026, households: 2000, today: options.today })];
  for (let done = 0; done < records.length; done += batchSize) {
    const batch = records.slice(done, done + batchSize);
    await writeAll(view, batch);
    options.onProgress(done + batch.length, records.length);
  }
  return records.length;
}

async function isEmpty(view: RegistryView): Promise<boolean> {
  const found = await view.groups.search({ limit: "1", active: "any" });
  return found.ok && found.value.data.length === 0;
}

async function writeAll(view: RegistryView, records: readonly JsonObject[]): Promise<void> {
  const entries = records.map(
    (body): WriteEntry => ({ verb: "create", type: body.type as ResourceType, body }),
  );
  const written = await view.transaction(entries, { trusted: true });
  if (!written.ok) throw new Error(`The demonstration's records were refused: ${written.problem.detail}`);
}
