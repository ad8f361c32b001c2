import { type PersonRow, rowOf, type WireItem } from "./sync-feed.ts";
import type { Service } from "./sync-stage.ts";

/** What PouchDB asks of a CouchDB to replicate from it, over people held in memory. */
export interface Couch {
  /** @returns the answer as JSON with its status */
  answer(request: { readonly method: string; readonly url: string; readonly body: string }): {
    readonly status: number;
    readonly body: string;
  };
}

const prefix = "/couch";
const generation = "0123456789abcdef0123456789abcdef";
const rev = `1-${generation}`;

/** Whether a request is for the CouchDB. */
export function isForCouch(url: string): boolean {
  return url.startsWith(prefix);
}

/** Reads the people of a server once, and offers them as a CouchDB does: a feed of names, then their documents. */
export async function openCouch(service: Service): Promise<Couch> {
  const rows = new Map((await everybody(service)).map(rowOf).map((row) => [row.id, row]));
  const results = [...rows.keys()].map((id, i) => ({ seq: i + 1, id, changes: [{ rev }] }));
  return {
    answer({ method, url, body }) {
      const { pathname, searchParams } = new URL(url, "http://couch");
      const path = pathname.slice(prefix.length);
      if (path === "/" || path === "")
        return ok({ db_name: "couch", update_seq: rows.size, doc_count: rows.size });
      if (path === "/_changes") return ok(changes(results, searchParams));
      if (path === "/_bulk_get") return ok(bulkGet(rows, body));
      if (path.startsWith("/_local/") && method === "PUT")
        return ok({ ok: true, id: path.slice(1), rev: "0-1" });
      return { status: 404, body: JSON.stringify({ error: "not_found", reason: "missing" }) };
    },
  };
}

function ok(body: object) {
  return { status: 200, body: JSON.stringify(body) };
}

function changes(all: readonly { readonly seq: number }[], asked: URLSearchParams) {
  const since = Number(asked.get("since") ?? 0);
  const results = all.slice(since, since + Number(asked.get("limit") ?? 25));
  return { results, last_seq: since + results.length, pending: all.length - since - results.length };
}

function bulkGet(rows: ReadonlyMap<string, PersonRow>, body: string) {
  const { docs } = JSON.parse(body) as { readonly docs: readonly { readonly id: string }[] };
  const results = docs.map(({ id }) => {
    const { id: _, ...row } = rows.get(id) ?? { id };
    const document = { ...row, _id: id, _rev: rev, _revisions: { start: 1, ids: [generation] } };
    return { id, docs: [{ ok: document }] };
  });
  return { results };
}

async function everybody({ port, token }: Service): Promise<readonly WireItem[]> {
  const items: WireItem[] = [];
  let cursor = "";
  for (let more = true; more; ) {
    const url = `http://127.0.0.1:${port}/api/v2/$changes?feed=all&limit=500${cursor}`;
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    const { data, pagination } = (await answer.json()) as {
      readonly data: readonly WireItem[];
      readonly pagination: { readonly next_cursor: string; readonly has_more: boolean };
    };
    items.push(...data);
    cursor = `&cursor=${encodeURIComponent(pagination.next_cursor)}`;
    more = pagination.has_more;
  }
  return items;
}
