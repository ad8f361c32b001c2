/** One area that a device can download. */
export interface Area {
  readonly name: string;
  /** Its change feed, such as `area:PH/Cavite`. */
  readonly feed: string;
}

const areaKey = "fieldroll-area";

/** The feed chosen on this device: from `?feed=…`, which is kept, else what was chosen last, else everything. */
export function chosenFeed(search: string, storage: Storage): string {
  const asked = new URLSearchParams(search).get("feed");
  if (asked) keepFeed(asked, storage);
  return asked ?? storage.getItem(areaKey) ?? "all";
}

export function keepFeed(feed: string, storage: Storage): void {
  storage.setItem(areaKey, feed);
}

/** The feeds a device follows for one choice: programs belong to no area. */
export function feedsOf(feed: string): readonly string[] {
  return feed === "all" ? ["all"] : ["programs", feed];
}

/** Where households of an area live: the start of a new household's address. */
export function homeOf(feed: string): { country?: string; state?: string; city?: string } {
  const [country, state, city] = feed.startsWith("area:")
    ? feed.slice("area:".length).split("/").map(decodeURIComponent)
    : [];
  return { ...(country && { country }), ...(state && { state }), ...(city && { city }) };
}
