import type { Drafts } from "./drafts.ts";

/** Milliseconds after which a disk that does not answer holds nobody up. */
const patience = 2_000;

/** Does something that ends the page, such as loading it again, once what was typed is kept. */
export async function afterDrafts(drafts: Pick<Drafts, "settled">, end: () => void): Promise<void> {
  await Promise.race([drafts.settled(), new Promise((resolve) => setTimeout(resolve, patience))]);
  end();
}
