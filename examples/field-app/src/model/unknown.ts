import { texts } from "../texts.ts";

/** The name of a record; where it is not known here, what it is, for a reference tells a person nothing. */
export function nameOrKind(name: string | undefined, reference: string): string {
  return name ?? texts.unknown[reference.split("/")[0] ?? ""] ?? texts.unknown.otherwise;
}
