import { refuseNoListener, tellEach } from "../listeners.ts";
import type { Observable } from "../types.ts";

/** An observable with its setter. */
export interface Signal<T> {
  readonly observable: Observable<T>;
  /** Sets the value; listeners are told when it says something new. */
  set(value: T): void;
}

export function createSignal<T>(initial: T): Signal<T> {
  const listeners = new Set<(value: T) => void>();
  let current = initial;
  return {
    observable: {
      get current() {
        return current;
      },
      subscribe(listener) {
        refuseNoListener(listener);
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    set(value) {
      if (JSON.stringify(value) === JSON.stringify(current)) return;
      current = value;
      tellEach(listeners, value);
    },
  };
}
