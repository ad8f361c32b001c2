import type { Choices } from "./random.ts";

export type Sex = "female" | "male";

/** A code of the vocabulary `urn:service:vocab:relationship`: the relation to the head. */
export type Role =
  | "head"
  | "spouse"
  | "child"
  | "child_in_law"
  | "grandchild"
  | "parent"
  | "parent_in_law"
  | "sibling"
  | "other_relative"
  | "non_relative";

/** One person of a household before there is a name. */
export interface Place {
  readonly role: Role;
  readonly sex: Sex;
  /** In full years. */
  readonly age: number;
}

const largest = 9;
const ofAge = 18;

/** Who lives in a household: one head first, then the others, one to nine people whose ages fit their relations. */
export function planFamily(choices: Choices): readonly Place[] {
  const head: Place = { role: "head", sex: choices.chance(0.38) ? "female" : "male", age: headAge(choices) };
  const spouse = choices.chance(head.sex === "male" ? 0.85 : 0.3) ? [spouseOf(head, choices)] : [];
  const mother = [head, ...spouse].find(({ sex }) => sex === "female") ?? head;
  const children = childrenOf(mother, choices);
  const people = [
    head,
    ...spouse,
    ...children,
    ...nextGeneration(children, choices),
    ...elders(head, spouse.length > 0, choices),
    ...others(head, choices),
  ];
  return people.slice(0, largest);
}

function headAge(choices: Choices): number {
  const [from, to] = choices.weighted([
    [20, [19, 29]],
    [35, [30, 44]],
    [30, [45, 59]],
    [15, [60, 88]],
  ]);
  return choices.between(from, to);
}

function spouseOf({ sex, age }: Place, choices: Choices): Place {
  const older = sex === "female" ? 1 : -1;
  return {
    role: "spouse",
    sex: sex === "female" ? "male" : "female",
    age: Math.min(92, Math.max(ofAge, age + older * choices.between(-2, 9))),
  };
}

function childrenOf(mother: Place, choices: Choices): readonly Place[] {
  const count = choices.weighted([
    [14, 0],
    [20, 1],
    [24, 2],
    [20, 3],
    [12, 4],
    [6, 5],
    [4, 6],
  ]);
  const ages = Array.from({ length: count }, () => mother.age - choices.between(18, 42)).toSorted(
    (a, b) => b - a,
  );
  return ages
    .filter((age, i) => age >= 0 && (ages[i - 1] ?? 99) - age >= 2 && (age < 22 || choices.chance(0.35)))
    .map((age) => ({ role: "child", sex: anySex(choices), age }));
}

/** A grown child may live here with a partner and children. */
function nextGeneration(children: readonly Place[], choices: Choices): readonly Place[] {
  const grown = children.find(({ age }) => age >= 20);
  if (!grown || !choices.chance(0.5)) return [];
  const partner: Place = {
    role: "child_in_law",
    sex: grown.sex === "female" ? "male" : "female",
    age: Math.max(ofAge, grown.age + choices.between(-3, 4)),
  };
  const youngest = Math.min(grown.age, partner.age) - ofAge;
  const grandchildren = Array.from({ length: choices.between(0, 3) }, () => ({
    role: "grandchild" as const,
    sex: anySex(choices),
    age: choices.between(0, Math.min(youngest, 15)),
  }));
  return [...(choices.chance(0.7) ? [partner] : []), ...grandchildren];
}

function elders(head: Place, married: boolean, choices: Choices): readonly Place[] {
  if (head.age > 62 || !choices.chance(0.16)) return [];
  const role = married && choices.chance(0.35) ? "parent_in_law" : "parent";
  return [
    {
      role,
      sex: choices.chance(0.7) ? "female" : "male",
      age: Math.min(97, head.age + choices.between(20, 36)),
    },
  ];
}

function others(head: Place, choices: Choices): readonly Place[] {
  if (!choices.chance(0.15)) return [];
  const role = choices.pick(["sibling", "other_relative", "other_relative", "non_relative"] as const);
  const age = role === "sibling" ? Math.max(12, head.age + choices.between(-10, 8)) : choices.between(6, 70);
  return [{ role, sex: anySex(choices), age }];
}

function anySex(choices: Choices): Sex {
  return choices.chance(0.5) ? "female" : "male";
}
