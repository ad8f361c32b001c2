import { useSyncStatus } from "@fieldroll/sync/react";
import { useEffect, useState } from "react";

/**
 * A form's values, kept through an accidental reload of the page and dropped when the tab closes. Each person who signs in has
 * their own.
 * @returns the values, a setter, whether they came from before a reload, and a way to forget them.
 */
export function useDraft<T>(
  name: string,
  empty: () => T,
): { values: T; set: (values: T) => void; restored: boolean; forget: () => void } {
  const key = `${name}/${useSyncStatus().signedInAs}`;
  const [kept] = useState(() => readDraft<T>(key));
  const [values, setValues] = useState<T>(() => kept ?? empty());
  const [restored, setRestored] = useState(kept !== null);
  const [touched, setTouched] = useState(false);
  useEffect(() => {
    if (touched) writeDraft(key, values);
  }, [key, values, touched]);
  return {
    values,
    restored,
    set: (next) => {
      setTouched(true);
      setValues(next);
    },
    forget: () => {
      window.sessionStorage.removeItem(key);
      setTouched(false);
      setRestored(false);
      setValues(empty());
    },
  };
}

function readDraft<T>(key: string): T | null {
  try {
    const text = window.sessionStorage.getItem(key);
    return text === null ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}

/** Photos may not fit; a draft without room is no reason to stop typing. */
function writeDraft(key: string, values: unknown): void {
  try {
    window.sessionStorage.setItem(key, JSON.stringify(values));
  } catch {
    window.sessionStorage.removeItem(key);
  }
}
