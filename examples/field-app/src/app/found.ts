import type { Group, Individual, SearchParameters } from "@fieldroll/core";
import type { Held } from "@fieldroll/sync";
import { useSearch } from "@fieldroll/sync/react";
import { type Found, mergedPages } from "../model/found.ts";
import { lookedFor } from "../model/looked-for.ts";

type Finding<T> = { readonly state: "loading" | "ready" } & Found<Held<T>>;

/** The most of one page. */
const wholePage = 500;

/**
 * Records whose identifier is the term, then those of whose name it is the whole, whole words, the beginning of words, and at
 * last any part: a short name is part of many others.
 */
export function useFound(type: "Group", term: string, limit: number): Finding<Group>;
export function useFound(type: "Individual", term: string, limit: number): Finding<Individual>;
export function useFound(
  type: "Group" | "Individual",
  term: string,
  limit: number,
): Finding<Group | Individual> {
  const asked = lookedFor(term);
  const paged = (parameters?: SearchParameters) =>
    parameters ? { ...parameters, limit: String(Math.min(limit, wholePage)) } : null;
  const pages = [
    useSearch(type, paged(asked?.byIdentifier)),
    useSearch(type, paged(asked?.byWholeName)),
    useSearch(type, paged(asked?.byWords)),
    useSearch(type, paged(asked?.byBeginnings)),
    useSearch(type, paged(asked?.byParts)),
  ];
  if (asked === null) return { state: "ready", found: [], more: false };
  if (pages.some(({ state }) => state === "loading")) return { state: "loading", found: [], more: false };
  const read = pages.map((loaded) =>
    loaded.state === "ready" ? loaded.value : { data: [], hasMore: false },
  );
  return { state: "ready", ...mergedPages(read, limit) };
}
