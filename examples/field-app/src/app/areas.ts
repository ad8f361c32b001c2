import { mayBeFeed } from "@fieldroll/core";
import { answered, changed, reopened } from "./database.ts";

/** One area that a device can download. */
export interface Area {
  readonly name: string;
  /** Its change feed, such as `area:PH/Cavite`. */
  readonly feed: string;
}

/**
 * Which area this device follows, and which one each person chose on it. Kept in IndexedDB, which has it when the promise
 * resolves; `localStorage`, which is written seconds later, has what is followed now for when IndexedDB does not answer.
 */
export interface AreaChoices {
  /** The feed to follow now: what was chosen last, or all. */
  current(): Promise<string>;
  /** What is offered to a person who signs in: her own choice, else what the device was given, else all. */
  of(person: string): Promise<string>;
  /** Follows a person's choice from now on. */
  choose(person: string, feed: string): Promise<void>;
  /** Follows a feed without having it chosen by anybody. */
  follow(feed: string): Promise<void>;
  /** What another tab follows from now on, and this one with it, as a `storage` event tells; `null` for news of anything else. */
  toldBy(event: Pick<StorageEvent, "key" | "newValue">): string | null;
}

export interface AreaChoicesOptions {
  /** The server's address: a user name means somebody else at another. */
  readonly server: string;
  /** The feed that the page's address asks for: it comes before what was chosen, and is kept for the device. */
  readonly asked: string | null;
  readonly indexedDB: IDBFactory;
  readonly storage: Pick<Storage, "getItem" | "setItem">;
  /** How long the app waits for IndexedDB, in milliseconds: without `localStorage`'s word it would not start. */
  readonly patience?: number;
}

const inStorage = "fieldroll-area";
const database = { name: "fieldroll-areas", table: "areas" };

/** Opens the areas chosen on this device. */
export function openAreaChoices(options: AreaChoicesOptions): AreaChoices {
  const { server, indexedDB, storage, patience = 3000 } = options;
  const asked = usable(options.asked);
  const openedNow = reopened(indexedDB, database);
  const tooLate = () => new Promise<null>((resolve) => setTimeout(() => resolve(null), patience));
  const opened = () => Promise.race([openedNow(), tooLate()]);
  const now = [server];
  const given = [server, ""];
  const get = async (key: string[]): Promise<string | undefined> => {
    const look = async () => {
      const table = (await opened())?.transaction(database.table).objectStore(database.table);
      return table && answered<string | undefined>(table.get(key));
    };
    return usable(await look().catch(() => undefined)) ?? undefined;
  };
  const keep = async (keys: readonly string[][], feed: string) => {
    storage.setItem(inStorage, feed);
    const areas = await opened();
    if (!areas) return;
    const put = (table: IDBObjectStore) => {
      for (const key of keys) table.put(feed, key);
    };
    await changed(areas, database.table, put).catch(() => undefined);
  };
  return {
    async current() {
      if (asked) void keep([now, given], asked);
      return asked ?? (await get(now)) ?? usable(storage.getItem(inStorage)) ?? "all";
    },
    async of(person) {
      return asked ?? (await get([server, person])) ?? (await get(given)) ?? "all";
    },
    choose: (person, feed) => keep([now, [server, person]], feed),
    follow: (feed) => keep([now], feed),
    toldBy: ({ key, newValue }) => (key === inStorage ? usable(newValue) : null),
  };
}

/** What an address asks for may be mistyped: no server has such an area, and the device could not be set up with it. */
function usable(feed: string | null | undefined): string | null {
  return feed && mayBeFeed(feed) ? feed : null;
}

/** The feeds a device follows for one choice: programs belong to no area. */
export function feedsOf(feed: string): readonly string[] {
  return feed === "all" ? ["all"] : [...new Set(["programs", feed])];
}

/** Where households of an area live: the start of a new household's address. */
export function homeOf(feed: string): { country?: string; state?: string; city?: string } {
  const [country, state, city] = placesOf(feed) ?? [];
  return { ...(country && { country }), ...(state && { state }), ...(city && { city }) };
}

/** From the country to the smallest place; `undefined` for what is no area. */
function placesOf(feed: string): readonly string[] | undefined {
  return feed.startsWith("area:") ? feed.slice("area:".length).split("/").map(decodeURIComponent) : undefined;
}

/** What a feed is called: as the list of areas has it, else by its places; `null` for everything. */
export function areaName(feed: string, areas: readonly Area[]): string | null {
  if (feed === "all") return null;
  const listed = areas.find((area) => area.feed === feed);
  return listed?.name ?? ([...(placesOf(feed) ?? [])].reverse().join(", ") || feed);
}
