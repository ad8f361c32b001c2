import type { Outcome, Problem } from "@fieldroll/core";
import { tellEach } from "../listeners.ts";
import type { Observable } from "../types.ts";

/** What a screen knows of something it reads: nothing yet, the value, or why there is none. */
export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly problem: Problem };

/** Something that is read again at every change: the shape that `useSyncExternalStore` asks for. */
export interface Reading<T> {
  current(): Loaded<T>;
  /** The first listener starts the reading, the last one's end stops it. */
  subscribe(listener: () => void): () => void;
}

const loading: Loaded<never> = { state: "loading" };

/**
 * Reads now and again whenever `changed` fires. The last value stays while a new one is read; at most one
 * read runs at a time, and any number of changes during it cause one more, so a long pull costs no queue.
 */
export function rereadOn<T>(changed: Observable<unknown>, read: () => Promise<Outcome<T>>): Reading<T> {
  const listeners = new Set<() => void>();
  let loaded: Loaded<T> = loading;
  let running = false;
  let again = false;
  let stop: (() => void) | null = null;

  const tell = (next: Loaded<T>) => {
    loaded = next;
    tellEach(listeners, undefined);
  };
  const refresh = async () => {
    again = running;
    if (running) return;
    running = true;
    const outcome = await settled(read);
    running = false;
    tell(
      outcome.ok ? { state: "ready", value: outcome.value } : { state: "failed", problem: outcome.problem },
    );
    if (again && stop) await refresh();
  };

  return {
    current: () => loaded,
    subscribe(listener) {
      listeners.add(listener);
      if (!stop) {
        stop = changed.subscribe(() => void refresh());
        void refresh();
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = null;
      };
    },
  };
}

async function settled<T>(read: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await read();
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    return { ok: false, problem: { kind: "internal", detail } };
  }
}
