import { Workbox } from "workbox-window";

/** A version of the app that this page does not run yet. */
export interface AppUpdate {
  /** Whether another tab has taken it already: what this page runs is served to nobody any more. */
  readonly isTaken: boolean;
  /** Takes it into use and reloads the page, whatever other tabs did meanwhile. */
  apply(): void;
}

/** Milliseconds between two checks for a new version, so that a page that is never reloaded learns of one. */
const lookEvery = 3_600_000;

/** How long a waiting version may take to begin, in milliseconds; the page is reloaded then in any case. */
const patience = 5_000;

/**
 * Registers the app's service worker from a page, and looks for a new version every hour and when the page comes to the front.
 * @param onUpdate called when a new version waits, and when another tab has taken it into use.
 * @returns whether there is a service worker now; without one (an insecure origin, an old browser) the app needs the
 * network to load.
 */
export async function registerAppWorker(
  url: string,
  onUpdate: (update: AppUpdate) => void,
): Promise<boolean> {
  if (!("serviceWorker" in navigator)) return false;
  const { serviceWorker } = navigator;
  const apply = () => void takeUpdate(serviceWorker, () => window.location.reload());
  const workbox = new Workbox(url);
  workbox.addEventListener("waiting", () => onUpdate({ isTaken: false, apply }));
  // The first one to control a page is the page's own version.
  let isControlled = serviceWorker.controller !== null;
  serviceWorker.addEventListener("controllerchange", () => {
    if (isControlled) onUpdate({ isTaken: true, apply });
    isControlled = true;
  });
  try {
    await workbox.register();
  } catch {
    return false;
  }
  const look = () => void workbox.update().catch(() => undefined);
  setInterval(look, lookEvery);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") look();
  });
  return true;
}

/** Reloads once the waiting version is in control; at once where none waits, since another tab took it. */
async function takeUpdate(serviceWorker: ServiceWorkerContainer, reload: () => void): Promise<void> {
  const waiting = (await serviceWorker.getRegistration())?.waiting;
  if (!waiting) return reload();
  serviceWorker.addEventListener("controllerchange", reload);
  setTimeout(reload, patience);
  waiting.postMessage({ type: "SKIP_WAITING" });
}
