/** A path with at most one place to fill, such as `/Group/{address}/$split`. */
export interface PathPattern {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** `wide`: `{address}`, any number of segments. `segment`: one. `none`: the path is exact. */
  readonly place: "wide" | "segment" | "none";
  /** What the place is called; empty without one. */
  readonly name: string;
}

export function patternOf(path: string): PathPattern {
  const match = /^(.*)\{(\w+)\}(.*)$/.exec(path);
  if (!match) return { path, before: path, after: "", place: "none", name: "" };
  const [, before = "", name = "", after = ""] = match;
  return { path, before, after, place: name === "address" ? "wide" : "segment", name };
}

/** What stands in the pattern's place in a path, as it is written there; `undefined` when the path is another. */
export function placed({ before, after, place }: PathPattern, path: string): string | undefined {
  if (place === "none") return path === before ? "" : undefined;
  if (path.length < before.length + after.length) return undefined;
  if (!path.startsWith(before) || !path.endsWith(after)) return undefined;
  const text = path.slice(before.length, path.length - after.length);
  if (place === "segment" && (text === "" || text.includes("/"))) return undefined;
  return text;
}

/** Orders patterns so that the first that matches is the most exact: `/Group/$merge` comes before `/Group/{address}`. */
export function byExactness(a: PathPattern, b: PathPattern): number {
  const ranks = { none: 0, segment: 1, wide: 2 };
  return ranks[a.place] - ranks[b.place] || b.after.length - a.after.length;
}
