import { Workbox } from "workbox-window";

/**
 * Registers the app's service worker from a page.
 * @param onUpdate called when a new version of the app waits; calling `apply` takes it into use and reloads the page.
 * @returns whether there is a service worker now; without one (an insecure origin, an old browser) the app needs the
 * network to load.
 */
export async function registerAppWorker(
  url: string,
  onUpdate: (apply: () => void) => void,
): Promise<boolean> {
  if (!("serviceWorker" in navigator)) return false;
  const workbox = new Workbox(url);
  workbox.addEventListener("waiting", () =>
    onUpdate(() => {
      workbox.addEventListener("controlling", () => window.location.reload());
      workbox.messageSkipWaiting();
    }),
  );
  try {
    await workbox.register();
    return true;
  } catch {
    return false;
  }
}
