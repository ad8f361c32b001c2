import type { JsonObject } from "../json.ts";
import { type Outcome, success } from "../problem.ts";
import type { ResourceType } from "../resource/types.ts";
import { readChanges } from "./feed/changes.ts";
import { read, search } from "./read.ts";
import { type Settings, settingsOf } from "./settings.ts";
import type {
  Caller,
  Registry,
  RegistryConfig,
  RegistryView,
  Writable,
  WriteEntry,
  WriteOptions,
  Written,
} from "./types.ts";
import { write } from "./write/write.ts";

/**
 * Makes a registry over a store: the rules of the specification, without a network. It keeps no state besides the
 * store's, so several registries may share one.
 *
 * @example
 * const registry = createRegistry({ store: createMemoryStore(), clock: () => new Date(), newId: uuidv7 });
 * const view = registry.as(operator);
 * const created = await view.individuals.create({ type: "Individual", identifier: [...], name: { family: "Reyes" } });
 */
export function createRegistry(config: RegistryConfig): Registry {
  const settings = settingsOf(config);
  return { as: (caller) => viewFor(settings, caller), epoch: () => epochOf(settings) };
}

function viewFor(settings: Settings, caller: Caller): RegistryView {
  return {
    individuals: verbs(settings, caller, "Individual"),
    groups: verbs(settings, caller, "Group"),
    programs: verbs(settings, caller, "Program"),
    memberships: verbs(settings, caller, "ProgramMembership"),
    transaction: (entries, options = {}) => write(settings, caller, { entries, options }),
    changes: async (request) => readChanges(settings, caller, { ...request, epoch: await epochOf(settings) }),
  };
}

/** The verbs of one type. The schemas have checked what `T` says, so the records are of it. */
function verbs<T>(settings: Settings, caller: Caller, type: ResourceType): Writable<T> {
  const one = async (entry: WriteEntry, { idempotency }: WriteOptions): Promise<Outcome<Written<T>>> => {
    const outcome = await write(settings, caller, {
      entries: [entry],
      options: { ...(idempotency && { idempotency }) },
    });
    return outcome.ok ? success(outcome.value[0] as unknown as Written<T>) : outcome;
  };
  const change =
    (verb: "replace" | "patch"): Writable<T>["replace"] =>
    (address, body, options) => {
      const { ifMatch } = options;
      return one({ verb, type, address, body, ...(ifMatch !== undefined && { ifMatch }) }, options);
    };
  return {
    read: (address) => read(settings, caller, { type, address }) as Promise<Outcome<T & JsonObject>>,
    search: (parameters = {}) => search<T>(settings, caller, { type, parameters }),
    create: (body, options = {}) => one({ verb: "create", type, body }, options),
    replace: change("replace"),
    patch: change("patch"),
  };
}

const epochKey = { collection: "system", key: "epoch" };

/** Made at the first question; whoever restores a backup writes a new one. */
async function epochOf({ store, newId }: Settings): Promise<string> {
  const [found] = await store.get([epochKey]);
  if (found) return String(found.body);
  const epoch = newId();
  const result = await store.commit({
    expect: [{ kind: "absent", ...epochKey }],
    put: [{ ...epochKey, version: 1, body: epoch }],
  });
  if (result.ok) return epoch;
  const [other] = await store.get([epochKey]);
  return String(other?.body);
}
