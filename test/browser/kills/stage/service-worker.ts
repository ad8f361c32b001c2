import type { Page } from "playwright-core";

/** Wakes a page's service worker as the browser does once it finds a network. */
export async function wakeServiceWorker(page: Page, address: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL, isDeleted }) => scopeURL === address && !isDeleted);
      if (own) resolve(own.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const registrationId = await registered;
  const { origin } = new URL(address);
  await session.send("ServiceWorker.dispatchSyncEvent", {
    origin,
    registrationId,
    tag: "fieldroll-wake",
    lastChance: false,
  });
  await session.detach();
}
