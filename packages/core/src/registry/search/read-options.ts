import { type FieldError, type Outcome, type Problem, success, together } from "../../problem.ts";
import type { ResourceType } from "../../resource/types.ts";
import { unknownField } from "../record/members.ts";
import type { Settings } from "../settings.ts";
import type { ReadOptions } from "../types.ts";

/** `_elements` and `_extensions`, understood. */
export interface Selection {
  /** Top-level members, or one dotted level. Absent: every member. */
  readonly elements?: ReadonlySet<string>;
  readonly extensions: "all" | ReadonlySet<string>;
}

const nothingAsked: Outcome<Selection> = success({ extensions: new Set() });

/**
 * Understands `_elements` and `_extensions` (contract section 4). A name that no record of these types has is a
 * `bad-request` that names it.
 *
 * @param types of the records that may be in the answer; a name is good when one of them has it
 */
export function readSelection(
  types: readonly ResourceType[],
  options: ReadOptions,
  settings: Pick<Settings, "schemas">,
): Outcome<Selection> {
  if (options.elements === undefined && options.extensions === undefined) return nothingAsked;
  const declared = (settings.schemas.context.extensions ?? []).filter(({ appliesTo }) =>
    appliesTo.some((type) => types.includes(type)),
  );
  const extensions = new Set(declared.map(({ name }) => name));
  const elements = namesIn(options.elements);
  const asked = namesIn(options.extensions);
  const refused = together([
    faultIn("_elements", elements, (name) => unknownField(name, types, extensions) === undefined),
    faultIn("_extensions", asked, (name) => name === "*" || extensions.has(name)),
  ]);
  if (refused) return refused;
  return success({
    ...(elements && { elements: new Set(elements) }),
    extensions: asked?.includes("*") ? "all" : new Set(asked),
  });
}

function namesIn(list: string | undefined): readonly string[] | undefined {
  return list?.split(",").map((name) => name.trim());
}

function faultIn(
  field: "_elements" | "_extensions",
  names: readonly string[] | undefined,
  isKnown: (name: string) => boolean,
): Problem | undefined {
  const wrong = (names ?? []).filter((name) => !isKnown(name));
  const what = field === "_elements" ? "an element" : "an extension";
  const errors = wrong.map((name): FieldError => {
    const message = name === "" ? "must not hold an empty name" : `${name} is not ${what} of these records`;
    return { field, code: "invalid_parameter", message };
  });
  const [first] = errors;
  if (!first) return undefined;
  return {
    kind: "bad-request",
    detail: `${first.field}: ${first.message}. Correct the name or leave it out.`,
    errors,
  };
}
