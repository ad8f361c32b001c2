import { texts } from "../texts.ts";

/** The name of somebody whose record is looked up, or what is said of whom elsewhere, until that is known. */
export function nameLoaded(
  state: "loading" | "ready" | "failed",
  name: string | undefined,
  reference: string,
): string {
  return state === "loading" ? (name ?? texts.app.loading) : nameOrKind(name, reference);
}

/** The name of a record; where it is not known here, what it is, for a reference tells a person nothing. */
export function nameOrKind(name: string | undefined, reference: string): string {
  return name ?? texts.unknown[reference.split("/")[0] ?? ""] ?? texts.unknown.otherwise;
}
