import type { Budget } from "../registry/budget.ts";
import { createRegistry } from "../registry/create-registry.ts";
import { operator } from "../registry/scopes.ts";
import type { Caller, Registry, RegistryConfig, RegistryView } from "../registry/types.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createMemoryMedium } from "../store/memory-medium.ts";
import type { Store } from "../store/port.ts";

/** A registry for tests: in memory, with a clock that only the test moves and ids that repeat from run to run. */
export interface TestRegistry {
  readonly registry: Registry;
  readonly store: Store;
  /** The registry as its operator sees it: every scope. */
  readonly view: RegistryView;
  as(caller: Partial<Caller>, options?: { readonly budget?: Budget }): RegistryView;
  /** Moves the clock on. */
  advance(time: { readonly days?: number; readonly milliseconds?: number }): void;
}

export interface TestRegistryOptions
  extends Pick<
    RegistryConfig,
    | "namespace"
    | "vocabularies"
    | "extensions"
    | "changeRequestTypes"
    | "capabilities"
    | "policies"
    | "eligibility"
    | "retention"
  > {
  /** The instant at which the clock stands at first. Default 2026-01-01T08:00:00Z. */
  readonly startAt?: string;
  /** Another store than a new one in memory. */
  readonly store?: Store;
}

/**
 * Makes a registry for someone's tests of their own code: no server, no files, nothing left to chance.
 *
 * @example
 * const { view, advance } = createTestRegistry();
 * await view.individuals.create({ type: "Individual", identifier: [...], name: { family: "Reyes" } });
 * advance({ days: 30 });
 */
export function createTestRegistry(options: TestRegistryOptions = {}): TestRegistry {
  const { startAt = "2026-01-01T08:00:00.000Z", store = newStore(), ...config } = options;
  let now = new Date(startAt).getTime();
  let ids = 0;
  const registry = createRegistry({
    ...config,
    store,
    clock: () => new Date(now),
    newId: () => testId(now, ++ids),
  });
  return {
    registry,
    store,
    view: registry.as(operator),
    as: (caller, asking) => registry.as({ ...operator, clientId: "test", ...caller }, asking),
    advance: ({ days = 0, milliseconds = 0 }) => {
      now += days * 86_400_000 + milliseconds;
    },
  };
}

/** Each has the same name, so that cursors repeat from run to run as well. */
function newStore(): Store {
  return createMemoryStore({ medium: createMemoryMedium({ name: "test" }) });
}

/** A UUIDv7 (RFC 9562) of an instant and a number instead of random bits. */
export function testId(milliseconds: number, number: number): string {
  const time = milliseconds.toString(16).padStart(12, "0");
  const tail = number.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}`;
}
