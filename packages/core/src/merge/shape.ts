import type { Json } from "../json.ts";

/** How the values of one place in a record are merged. A shape is data: it says where a record may be taken apart. */
export type Shape = AtomicShape | ObjectShape | KeyedShape | TheirsShape;

/** One value: either side's, never a mixture. */
export interface AtomicShape {
  readonly kind: "atomic";
}

/** An object that is merged member by member. */
export interface ObjectShape {
  readonly kind: "object";
  readonly members: Readonly<Record<string, Shape>>;
  /** For members that are not listed. Default: atomic. */
  readonly rest?: Shape;
  /** Whether an absent object says the same as an empty one: who took its last member away changed that member only. */
  readonly absentIsEmpty?: boolean;
  /**
   * Members that give the others their meaning, such as the code of a concept. Where both sides changed the object
   * and differ in one of these, it is one place: a mixture would say what nobody said.
   */
  readonly agreeOn?: readonly string[];
  /**
   * Groups of members that are decided together, such as a status and the reason for it. Where each side changed one of them in its
   * own way, though it be another one, all that differ are in conflict, and what is chosen for them is of one side.
   */
  readonly together?: readonly (readonly [string, ...string[]])[];
}

/** An array that is merged as a set of items with identities. */
export interface KeyedShape {
  readonly kind: "keyed";
  /**
   * The item's identity, or `undefined` for an item that has none. When an item has none, or two items of one
   * array share one, the array is merged as one value.
   */
  readonly identity: (item: Json) => string | undefined;
  /** How two items of the same identity are merged. Default: atomic. */
  readonly item?: Shape;
  /**
   * What at most one item of a valid array is, such as the head of a household. Where each side made another item so,
   * both items are in conflict, and decided together.
   */
  readonly only?: (item: Json) => boolean;
  /**
   * Of what an item is one, such as a number of its system; `undefined` where it is no such thing. Where each side put another one in
   * the place of the same, as two who correct one number do, or where the array had others only, what they put there is in conflict,
   * and decided together.
   */
  readonly oneOf?: (item: Json) => string | undefined;
}

/** Written by the server only: whatever theirs holds is taken, and there is never a conflict. */
export interface TheirsShape {
  readonly kind: "theirs";
}

/** The three values of one place; a member is absent where the place is not there. */
export interface Versions {
  readonly base?: Json;
  readonly ours?: Json;
  readonly theirs?: Json;
}

/** One place that both sides changed, each in its own way. */
export interface Conflict extends Versions {
  /**
   * JSON pointer (RFC 6901) into the merged record, which holds ours there. Where ours removed an item of a keyed
   * array, the merged record has no such item: the position is then one past the end of the array, counted on for
   * each further such item, so that every conflict of a merge has its own path.
   */
  readonly path: string;
  /**
   * The paths of what is decided together with this one, itself among it: one question to a person, to be answered by one side. Of
   * members they are all those that their object's shape names, whether or not they differ. Absent where the place stands for itself.
   */
  readonly together?: readonly string[];
}

/** What is done at a place that both sides changed: see {@link ConflictPolicies}. */
export type Policy = "ask" | "ours" | "theirs" | "newest" | PolicyFunction;

/** A policy that looks at the values. */
export type PolicyFunction = (versions: Versions, pattern: string) => Verdict;

/** `ask` leaves the conflict to a person; `{}` as a value removes the place. */
export type Verdict = "ask" | Choice;

/** Which value a place takes. Without `value` in it, an object takes the place away. */
export type Choice = "ours" | "theirs" | { readonly value?: Json | undefined };

/**
 * Policies by place. A place is a JSON pointer in which `-` stands for any item of an array, such as
 * `/telecom/-/rank`; a policy holds for all that lies below its place, and the longest place wins. The empty
 * pointer is the whole record. Places without a policy are asked about. What is decided together wants the same one for all.
 */
export type ConflictPolicies = Readonly<Record<string, Policy>>;

/** What a merge answers. */
export interface Merged<T> {
  readonly merged: T;
  /** The places left to a person; empty when the merge is clean. */
  readonly conflicts: readonly Conflict[];
}
