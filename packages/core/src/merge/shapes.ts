import { isJsonObject, type Json } from "../json.ts";
import type { ResourceType } from "../resource/types.ts";
import { memberOf } from "./member.ts";
import type { AtomicShape, KeyedShape, ObjectShape, Shape, TheirsShape } from "./shape.ts";

const atomic: AtomicShape = { kind: "atomic" };
const theirs: TheirsShape = { kind: "theirs" };

/** The codes give the text its meaning, so two different codings never become one concept. */
const concept: ObjectShape = { kind: "object", members: {}, agreeOn: ["coding"] };

const period: ObjectShape = { kind: "object", members: {} };

/** Two different corrections of one number are one conflict: whom it tells, both together would not. */
const identifier: KeyedShape = {
  kind: "keyed",
  identity: (item) => joined(item, ["system", "value"]),
  item: { kind: "object", members: { period } },
  oneOf: (item) => joined(item, ["system"]),
};

const telecom: KeyedShape = {
  kind: "keyed",
  identity: (item) => joined(item, ["system", "use", "value"]),
  item: { kind: "object", members: {} },
};

/** Two moves to different places are one conflict; a corrected line and a new postal code are none. */
const address: KeyedShape = {
  kind: "keyed",
  identity: (item) => joined(item, ["type"]),
  item: { kind: "object", members: {}, agreeOn: ["country", "state", "district", "city"] },
};

const member: KeyedShape = {
  kind: "keyed",
  identity: (item) => (isJsonObject(item) ? referenceIn(memberOf(item, "entity")) : undefined),
  item: { kind: "object", members: { role: concept, period } },
  only: isActiveHead,
};

const name: ObjectShape = { kind: "object", members: {} };

/** A number says nothing without its unit. */
const farmer: ObjectShape = { kind: "object", members: {}, together: [["farmSize", "farmSizeUnit"]] };

const extension: ObjectShape = {
  kind: "object",
  members: { farmer },
  rest: { kind: "object", members: {} },
  absentIsEmpty: true,
};
const common = { type: atomic, identifier, extension, meta: theirs };

/**
 * How the records of each resource type are merged. `meta` and the derived members (`groupMembership`, `quantity`,
 * a program's `status`) are the server's. A telecom item is its number: two different corrections of one number
 * leave both numbers. A member is told by its reference as it is written: the copies have theirs in one form, stored or printed. What the
 * registry's rules, or the sense of it, let nobody decide one by one stands in `together`.
 */
export const resourceShapes: Readonly<Record<ResourceType, Shape>> = {
  Individual: {
    kind: "object",
    members: { ...common, name, gender: concept, telecom, address, groupMembership: theirs },
    together: [["birthDate", "birthDateEstimated"]],
  },
  Group: { kind: "object", members: { ...common, member, address, quantity: theirs } },
  Program: { kind: "object", members: { ...common, programType: concept, period, status: theirs } },
  ProgramMembership: {
    kind: "object",
    members: common,
    together: [["status", "exitDate", "exitReason"]],
  },
};

/**
 * The same, where each place stands for itself: to tell what one change did from what others did beside it, which nobody is asked about.
 * The codes of a concept and its text are one place all the same.
 */
export const partShapes: Readonly<Record<ResourceType, Shape>> = {
  Individual: apart(resourceShapes.Individual),
  Group: apart(resourceShapes.Group),
  Program: apart(resourceShapes.Program),
  ProgramMembership: apart(resourceShapes.ProgramMembership),
};

function apart(shape: Shape): Shape {
  if (shape === concept) return shape;
  if (shape.kind === "keyed") {
    const { only: _, oneOf: _o, item, ...rest } = shape;
    return { ...rest, ...(item && { item: apart(item) }) };
  }
  if (shape.kind !== "object") return shape;
  const { together: _, agreeOn: _a, members, rest, ...others } = shape;
  const parts = Object.entries(members).map(([name, member]) => [name, apart(member)]);
  return { ...others, members: Object.fromEntries(parts), ...(rest && { rest: apart(rest) }) };
}

/** Whether a group's member is its head now; one whose stay has an end date is taken to have left. */
function isActiveHead(item: Json): boolean {
  if (!isJsonObject(item) || memberOf(item, "inactive") === true) return false;
  const stay = memberOf(item, "period");
  const role = memberOf(item, "role");
  const codings = isJsonObject(role) ? memberOf(role, "coding") : undefined;
  const left = isJsonObject(stay) && memberOf(stay, "end") !== undefined;
  return !left && Array.isArray(codings) && codings.some(isHead);
}

function isHead(coding: unknown): boolean {
  if (!isJsonObject(coding)) return false;
  return coding.code === "head" && String(coding.system).endsWith(":vocab:relationship");
}

/** The values of the given members, absent ones empty; `undefined` when the item is no object or one is no string. */
function joined(item: Json, names: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const values = names.map((name) => memberOf(item, name) ?? "");
  return values.every((value) => typeof value === "string") ? values.join("|") : undefined;
}

function referenceIn(value: Json | undefined): string | undefined {
  const reference = isJsonObject(value) ? memberOf(value, "reference") : undefined;
  return typeof reference === "string" ? reference : undefined;
}
