import { failure, type JsonObject, type Outcome } from "@fieldroll/core";
import { produce } from "immer";
import type { EditableType, FieldService, RecordEdit } from "../service-types.ts";
import type { Held, Recipe, UpdateOptions } from "../types.ts";

/** How often a recipe is run again on the newer record. */
const mostRuns = 25;

/**
 * Runs a recipe and hands its result to the service. With `seen`, the recipe runs once on what the person saw and the result is
 * merged with what is there; without, it runs on the record as it is, again when that changed in between.
 */
export async function updateRecord<T extends object>(
  service: FieldService,
  target: { readonly type: EditableType; readonly reference: string },
  options: UpdateOptions<T> & { readonly recipe: Recipe<T>; readonly key?: string | undefined },
): Promise<Outcome<Held<T>>> {
  const { type, reference } = target;
  const { seen: before, recipe } = options;
  if (before !== undefined) {
    return edit<T>(service, target, { seen: before, key: options.key, recipe, whenChanged: "merge" });
  }
  for (let run = 1; ; run++) {
    const read = await service.read(type, reference);
    if (!read.ok) {
      // Of what is sealed an edit says more: that nobody is signed in.
      const tried = await edit<T>(service, target, {
        seen: {} as T,
        recipe: () => {},
        whenChanged: "refuse",
      });
      return !tried.ok && tried.problem.kind === "authentication" ? tried : failure(read.problem);
    }
    const seen = read.value.record as unknown as T;
    const { key } = read.value;
    const outcome = await edit<T>(service, target, { seen, key, recipe, whenChanged: "refuse" });
    const outdated = !outcome.ok && outcome.problem.kind === "conflict" && !outcome.problem.errors;
    if (!outdated || run >= mostRuns) return outcome;
  }
}

async function edit<T extends object>(
  service: FieldService,
  { type, reference }: { readonly type: EditableType; readonly reference: string },
  {
    seen,
    recipe,
    ...how
  }: { readonly seen: T; readonly recipe: Recipe<T> } & Pick<RecordEdit, "key" | "whenChanged">,
): Promise<Outcome<Held<T>>> {
  if (typeof recipe !== "function") return failure({ kind: "bad-request", detail: noRecipe });
  const next = applied(seen, recipe);
  if (next === null) return failure({ kind: "bad-request", detail: asyncRecipe });
  const outcome = await service.edit(type, reference, {
    seen: seen as unknown as JsonObject,
    next: next as unknown as JsonObject,
    ...how,
  });
  return outcome as Outcome<Held<T>>;
}

const noRecipe =
  "An update needs a recipe: a function that changes the draft of the record that it is given. Nothing was saved.";

const asyncRecipe =
  "The recipe of an update must not be async: await what it needs first, then update. Nothing was saved.";

/** Members that the recipe set to `undefined` are left out, as in JSON. `null` for what it would only do later. */
function applied<T extends object>(seen: T, recipe: Recipe<T>): T | null {
  let late = null as Promise<unknown> | null;
  const next = produce(seen, (draft) => {
    const made: unknown = recipe(draft as T);
    late = made instanceof Promise ? made : null;
    return (late ? undefined : made) as undefined;
  });
  if (!late) return JSON.parse(JSON.stringify(next)) as T;
  // It goes on with a draft that is none any more; that it fails there is nobody's to handle.
  late.catch(() => undefined);
  return null;
}
