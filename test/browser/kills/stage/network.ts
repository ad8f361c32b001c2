import type { Page } from "playwright-core";

/** How a network is: CDP's `Network.emulateNetworkConditions`. */
export interface NetworkConditions {
  readonly offline: boolean;
  /** In milliseconds. */
  readonly latency: number;
  /** In bytes a second. */
  readonly downloadThroughput: number;
  readonly uploadThroughput: number;
}

/** Gives a page, and its workers with it, another network for as long as it is open. */
export async function emulateNetwork(page: Page, conditions: NetworkConditions): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", conditions);
}
