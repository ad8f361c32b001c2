import type { SyncTask } from "./sync-task.ts";

/** A person as the change feed has one. */
export interface WirePerson {
  readonly name: { readonly family: string; readonly given: string };
  readonly birthDate: string;
  readonly address: readonly { readonly city: string }[];
  readonly meta: { readonly versionId: string; readonly lastUpdated: string };
}

export interface WireItem {
  readonly key: string;
  readonly record: WirePerson;
}

export interface WirePage {
  readonly items: readonly WireItem[];
  readonly cursor: string;
  readonly more: boolean;
}

/** A row for three indexes, as somebody would make it who keeps people in IndexedDB. */
export interface PersonRow {
  readonly id: string;
  readonly name: string;
  readonly area: string;
  readonly updated: string;
  readonly record: WirePerson;
}

/** The most that the server gives at once. */
export const largestPage = 500;

/** Fetches a page of the change feed. */
export async function fetchPage(
  { token }: SyncTask,
  cursor: string | null,
  limit = largestPage,
): Promise<WirePage> {
  const query = new URLSearchParams({ feed: "all", limit: String(limit), ...(cursor && { cursor }) });
  const answer = await fetch(`/api/v2/$changes?${query}`, { headers: { Authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`The feed was answered ${answer.status}.`);
  const { data, pagination } = await answer.json();
  return { items: data, cursor: pagination.next_cursor, more: pagination.has_more };
}

/** All pages of the feed, each asked for while the one before is being worked on. */
export async function* feedPages(task: SyncTask): AsyncGenerator<WirePage> {
  let next: Promise<WirePage> | undefined = fetchPage(task, null);
  while (next) {
    const page: WirePage = await next;
    next = page.more ? fetchPage(task, page.cursor) : undefined;
    yield page;
  }
}

export function rowOf({ key, record }: WireItem): PersonRow {
  const { family, given } = record.name;
  const updated = record.meta.lastUpdated;
  return { id: key, name: `${family} ${given}`, area: record.address[0]?.city ?? "", updated, record };
}
