import { useSyncExternalStore } from "react";

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

/** The part of the page's address after `#`, newest always. */
export function useHash(): string {
  return useSyncExternalStore(subscribe, () => window.location.hash);
}
