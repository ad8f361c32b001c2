import { StoreError } from "@fieldroll/core";

/** Remembers whether the storage was seen to be damaged: it does not mend itself, so a restart has to come first. */
export interface StorageHealth {
  isDamaged(): boolean;
  /** Looks at what a request or a probe failed with. */
  observe(error: unknown): void;
}

/** Makes the memory of one handler. */
export function createStorageHealth(): StorageHealth {
  let damaged = false;
  return {
    isDamaged: () => damaged,
    observe(error) {
      damaged ||= isDamage(error);
    },
  };
}

/** Whether an error says that what is stored can't be read any more. */
export function isDamage(error: unknown): boolean {
  return error instanceof StoreError && error.code === "corrupt";
}
