import { collections, isEmpty } from "../device/documents.ts";
import { type PageOutcome, paceAfter } from "../model/pace.ts";
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

/** Makes the reader of one feed. */
export function createPageReader(
  { api, store, clock, pace }: Pick<SyncContext, "api" | "store" | "clock" | "pace">,
  request: Omit<PlainRequest, "cursor" | "limit"> & { readonly feed: string },
): PageReader {
  let next: (Place & { readonly reply: Promise<Checked<PulledPage> | null> }) | null = null;

  async function ask({ cursor }: Place): Promise<Checked<PulledPage>> {
    for (;;) {
      const limit = pace.current.size;
      const begun = clock().getTime();
      const reply = await api.changes({ ...request, cursor, limit });
      const outcome = outcomeOf(reply, clock().getTime() - begun);
      if (outcome) pace.current = paceAfter(pace.current, outcome);
      // What is lost before an answer begins shows no network: the run waits for one.
      if (!isCut(reply) || pace.current.size >= limit) return reply;
    }
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

/** @param took milliseconds */
function outcomeOf(reply: Checked<PulledPage>, took: number): PageOutcome | null {
  if (reply.kind === "value") return { kind: "landed", records: reply.value.items.length, took };
  return isCut(reply) || (reply.kind === "no-answer" && reply.why === "network") ? { kind: "cut" } : null;
}

function isCut(reply: Checked<PulledPage>): boolean {
  return reply.kind === "no-answer" && (reply.why === "timeout" || reply.isCut === true);
}
