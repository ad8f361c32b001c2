/** Who began the pause of this device, and when. */
export interface Pause {
  /** The user name at sign-in. */
  readonly by: string;
  /** An instant in ISO 8601. */
  readonly at: string;
}

/**
 * A note of the pause, beside the engine's own, which tells that there is one and no more: whoever comes next on this device should
 * read why nothing is sent. Where the browser lost it, the pause is told without.
 */
export interface PauseNote {
  read(): Pause | null;
  begun(by: string): void;
  ended(): void;
}

const inStorage = "fieldroll-pause";

export function openPauseNote(options: {
  readonly clock: () => Date;
  readonly storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
}): PauseNote {
  const { clock, storage } = options;
  return {
    read() {
      try {
        const { by, at } = JSON.parse(storage.getItem(inStorage) ?? "{}") as Partial<Pause>;
        return by !== undefined && at !== undefined ? { by, at } : null;
      } catch {
        return null;
      }
    },
    begun(by) {
      try {
        storage.setItem(inStorage, JSON.stringify({ by, at: clock().toISOString() }));
      } catch {
        // Full, or forbidden: the pause itself must not fail for it.
      }
    },
    ended: () => storage.removeItem(inStorage),
  };
}
