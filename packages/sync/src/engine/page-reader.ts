import { collections, isEmpty } from "../device/documents.ts";
import type { PulledPage } from "../transport/page-in.ts";
import type { PlainRequest } from "../transport/plain.ts";
import type { Checked } from "../transport/verdict-in.ts";
import type { SyncContext } from "./context.ts";

/** Where the reading of a feed stands: the cursor, and the version of the document that has it. */
export interface Place {
  readonly cursor: string | null;
  /** 0 before there is one. */
  readonly version: number;
}

/** Asks for the pages of one feed. */
export interface PageReader {
  /** The page at a place: the one that was asked for ahead, if it is that one. */
  read(place: Place): Promise<Checked<PulledPage>>;
  /** Asks for the page at a place that is about to be reached, unless there is something to be sent before it. */
  ahead(place: Place): void;
  /** Lets go of what was asked for ahead: what the server says may be another thing by now. */
  drop(): void;
}

/** Records of a page: few until it is known how fast they come, so that the first are soon there. */
const [fewest, most] = [200, 500];

/** The time that a page may take if the next is to be a large one, in milliseconds: then that takes no ten seconds. */
const quick = 2_000;

/** Makes the reader of one feed. */
export function createPageReader(
  { api, store, clock }: Pick<SyncContext, "api" | "store" | "clock">,
  request: Omit<PlainRequest, "cursor" | "limit"> & { readonly feed: string },
): PageReader {
  let limit = fewest;
  let next: (Place & { readonly reply: Promise<Checked<PulledPage> | null> }) | null = null;

  async function ask({ cursor }: Place): Promise<Checked<PulledPage>> {
    const begin = clock().getTime();
    const reply = await api.changes({ ...request, cursor, limit });
    limit = clock().getTime() - begin <= quick ? most : fewest;
    return reply;
  }

  return {
    async read(place) {
      const asked = next?.cursor === place.cursor && next.version === place.version ? next.reply : null;
      next = null;
      return (await asked) ?? ask(place);
    },
    ahead(place) {
      const reply = isEmpty(store, collections.outbox).then((empty) => (empty ? ask(place) : null));
      next = { ...place, reply: reply.catch(() => null) };
    },
    drop() {
      next = null;
    },
  };
}
