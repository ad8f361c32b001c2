import { isJsonObject, type Json, type JsonObject, pointer } from "../json.ts";
import { type Found, mergeAt, type Run } from "./engine.ts";
import { memberOf } from "./member.ts";
import { stableName } from "./place.ts";
import { chosen, newestOf, verdictAt } from "./policy.ts";
import type { Choice, Conflict, ConflictPolicies, Merged, Shape } from "./shape.ts";

/** Three versions of one record, and how to merge them. */
export interface MergeRequest {
  /** What both sides started from; `null` when both created the record. */
  readonly base: JsonObject | null;
  readonly ours: JsonObject;
  readonly theirs: JsonObject;
  /** Where the record may be taken apart; see `resourceShapes`. */
  readonly shape: Shape;
  /**
   * Places that were in conflict and stay so, whatever the base says, as long as both sides differ there: by the names that
   * {@link conflictPlaces} gave. `all`: wherever they differ. Default: none.
   */
  readonly asked?: readonly string[] | "all";
  /** What is done at conflicts, by place. Default: `ask` everywhere. */
  readonly policy?: ConflictPolicies;
  /** When each side was changed, UTC instants, for the policy `newest`. Default: their `meta.lastUpdated`. */
  readonly changedAt?: { readonly ours: string; readonly theirs: string };
}

/**
 * Merges two versions of a record that were made from the same base, place by place. A place that one side changed
 * takes that side's value; a place that both changed alike is no conflict; a place that both changed differently,
 * or that one removed and the other changed, goes to the policy and else into `conflicts`. **At a conflict the merged
 * record holds ours**, so that a device goes on showing what its person entered.
 *
 * Laws, for b the base: merge(b, b, t) = t; merge(b, o, b) = o; merge(b, x, x) = x (`meta` is always theirs); edits
 * at different places commute up to the order of keyed arrays; merging again with the result as theirs gives the
 * result. Nothing is validated: two valid edits may meet in an invalid record, so validate the merged one.
 */
export function merge(request: MergeRequest): Merged<JsonObject> {
  const { merged, found } = run(request, () => undefined);
  return { merged, conflicts: found.map(conflictOf) };
}

/** The places of the conflicts that {@link merge} finds, by names that are the same at every merge of the record. */
export function conflictPlaces(request: MergeRequest): readonly string[] {
  return run(request, () => undefined).found.map(({ place }) => stableName(place));
}

/**
 * Merges again with a person's choices, by the paths that {@link merge} gave for the same request. Places without a
 * choice stay conflicts of the answer, and hold ours; their paths fit the new merged record. A path that is no
 * conflict of this request is refused with a RangeError: the person decided on another state of the record. So are choices of both
 * sides for what is decided together: see {@link mixedChoice}.
 */
export function resolveConflicts(
  request: MergeRequest,
  choices: Readonly<Record<string, Choice>>,
): Merged<JsonObject> {
  const { found: open } = run(request, () => undefined);
  const mixed = mixedChoice(open.map(conflictOf), choices);
  if (mixed)
    throw new RangeError(`${mixed.join(", ")} are decided together: choose one side for all of them`);
  const byPath = new Map(open.map((found) => [pathOf(found), found]));
  const byPlace = new Map<string, Choice>();
  for (const [path, choice] of Object.entries(choices)) {
    const found = byPath.get(path);
    if (!found) throw new RangeError(`${path} is not in conflict: merge again and choose from its conflicts`);
    byPlace.set(stableName(found.place), choice);
  }
  const { merged, found } = run(request, (place) => byPlace.get(place));
  return { merged, conflicts: found.map(conflictOf) };
}

/**
 * The conflicts of one question for which some of the choices take ours and some theirs, by path: together they say what neither side
 * said, and the registry's rules may not allow. A value of its own goes with either side. `undefined` where there are none.
 */
export function mixedChoice(
  conflicts: readonly Conflict[],
  choices: Readonly<Record<string, unknown>>,
): readonly string[] | undefined {
  const isSide = (path: string, side: "ours" | "theirs") => choices[path] === side;
  const mixed = conflicts.find(
    ({ together = [] }) =>
      together.some((path) => isSide(path, "ours")) && together.some((path) => isSide(path, "theirs")),
  );
  return mixed?.together?.filter((path) => conflicts.some((conflict) => conflict.path === path));
}

function run(
  { base, ours, theirs, shape, asked = [], policy = {}, changedAt }: MergeRequest,
  choiceAt: (place: string) => Choice | undefined,
): { readonly merged: JsonObject; readonly found: readonly Found[] } {
  const newest = newestOf(changedAt?.ours ?? lastUpdated(ours), changedAt?.theirs ?? lastUpdated(theirs));
  const found: Found[] = [];
  const decide: Run["decide"] = (place, versions) => {
    const verdict = choiceAt(stableName(place)) ?? verdictAt(policy, newest, place, versions);
    return verdict === "ask" ? undefined : chosen(verdict, versions);
  };
  const askedAt: Run["asked"] = (place) => {
    if (asked === "all") return "within";
    if (asked.length === 0) return undefined;
    const name = stableName(place);
    if (asked.includes(name)) return "here";
    return asked.some((other) => other.startsWith(`${name}/`)) ? "within" : undefined;
  };
  const merged = mergeAt({ decide, asked: askedAt, found }, null, { base: base ?? {}, ours, theirs }, shape);
  return { merged: isJsonObject(merged) ? merged : ours, found };
}

function lastUpdated(record: JsonObject): Json | undefined {
  const meta = memberOf(record, "meta");
  return isJsonObject(meta) ? memberOf(meta, "lastUpdated") : undefined;
}

function pathOf(found: Found): string {
  return pointer([...found.outward].reverse());
}

function conflictOf(found: Found): Conflict {
  const { versions, outward } = found;
  const { unit, rivals = [] } = found.with;
  const together = unit?.map((name) => pointer([name, ...outward.slice(1)].reverse())) ?? rivals.map(pathOf);
  return { path: pathOf(found), ...versions, ...(together.length > 1 && { together }) };
}
