import type { Culture } from "./cultures.ts";
import type { Place, Role } from "./family.ts";
import type { Choices } from "./random.ts";

/** A person's name as a record holds it; a type, so that it is JSON. */
export type PersonName = { readonly family: string; readonly given: string; readonly middle?: string };

/** Who has the head's family name, whatever the custom between spouses is. */
const kin: readonly Role[] = ["head", "child", "grandchild", "parent", "sibling"];

/** Names the people of a household: family names and middle names are shared as the culture has it. */
export function nameFamily(
  people: readonly Place[],
  culture: Culture,
  choices: Choices,
): readonly (Place & { readonly name: PersonName })[] {
  const family = choices.pick(culture.family);
  const otherFamily = freshName(new Set([family]), culture.family, choices);
  const fatherGiven = choices.pick(culture.male);
  const used = new Set<string>();
  return people.map((place) => {
    const given =
      place.role === fatherRole(people) ? fatherGiven : freshName(used, culture[place.sex], choices);
    used.add(given);
    const shares = kin.includes(place.role) || (place.role === "spouse" && culture.sharesFamily);
    const own = shares ? family : choices.pick(culture.family);
    const middle = middleName(place, culture, { otherFamily, fatherGiven, choices });
    const surname = culture.middle === "second-family" ? `${own} ${otherFamily}` : own;
    return { ...place, name: { family: surname, given, ...(middle && { middle }) } };
  });
}

/** The father of the head's children, where he lives here. */
function fatherRole(people: readonly Place[]): Role | undefined {
  return people.find(({ role, sex }) => sex === "male" && (role === "head" || role === "spouse"))?.role;
}

function freshName(
  used: ReadonlySet<string>,
  names: readonly [string, ...string[]],
  choices: Choices,
): string {
  const first = choices.pick(names);
  return used.has(first) ? (names.find((name) => !used.has(name)) ?? first) : first;
}

function middleName(
  { role }: Place,
  { middle, male }: Culture,
  known: { readonly otherFamily: string; readonly fatherGiven: string; readonly choices: Choices },
): string | undefined {
  if (middle === "father-given") return role === "child" ? known.fatherGiven : known.choices.pick(male);
  return middle === "mother-family" && role === "child" ? known.otherFamily : undefined;
}
