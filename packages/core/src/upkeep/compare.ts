import { joinedKey } from "../store/rules.ts";
import { counted } from "../text.ts";
import type { Fault } from "./finding.ts";
import type { Declared, KeptReference, Targets } from "./kept-kind.ts";

/** In what a document's declaration differs from what it is to be. Names indexes and counts values. */
export function declaredFaults(found: Declared, expected: Declared): readonly Fault[] {
  return [
    ...setFaults("claims", found.claims, expected.claims),
    ...entryFaults(found.entries, expected.entries),
    ...setFaults("feeds", found.feeds, expected.feeds),
  ];
}

function setFaults(
  kind: "claims" | "feeds",
  found: readonly string[],
  expected: readonly string[],
): readonly Fault[] {
  const missing = without(expected, found).length;
  const surplus = without(found, expected).length;
  if (missing + surplus === 0) return [];
  const parts = [
    ...(missing > 0 ? [`${missing} that its body gives are missing`] : []),
    ...(surplus > 0 ? [`${surplus} are there that its body does not give`] : []),
  ];
  return [{ kind, message: `of the ${kind} that it declares, ${parts.join(", and ")}` }];
}

function without(list: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return [...new Set(list)].filter((item) => !known.has(item));
}

/** The first value is what sorting goes by, so the order counts. */
function entryFaults(found: Declared["entries"], expected: Declared["entries"]): readonly Fault[] {
  const indexes = [...new Set([...Object.keys(found), ...Object.keys(expected)])];
  return indexes.flatMap((index): readonly Fault[] => {
    const [has, gets] = [[...new Set(found[index] ?? [])], [...new Set(expected[index] ?? [])]];
    if (has.length === gets.length && has.every((value, i) => value === gets[i])) return [];
    const message = `in the index ${index} it has ${values(has.length)}, and its body gives ${values(gets.length)}`;
    return [{ kind: "entries", message: has.length === gets.length ? `${message}, others` : message }];
  });
}

function values(count: number): string {
  return counted(count, "value");
}

/** Where references lead to nothing, or to what is called otherwise. */
export function referenceFaults(references: readonly KeptReference[], targets: Targets): readonly Fault[] {
  return references.flatMap((reference): readonly Fault[] => {
    const { to, name, atLeast, what } = reference;
    const kind = "reference";
    if (to.length === 0) return [{ kind, message: `${what} has no link to the record that it means` }];
    const found = to.flatMap((key) => targets.get(joinedKey(key)) ?? []);
    const [target] = found;
    if (!target) return [{ kind, message: `${what} is not in the store` }];
    if (name !== undefined && !target.names.includes(name))
      return [{ kind, message: `${what} names its record by an identifier that it does not have` }];
    if (atLeast !== undefined && target.shown < atLeast)
      return [{ kind, message: `${what} is at version ${target.shown}, not at ${atLeast} or a later one` }];
    return [];
  });
}
