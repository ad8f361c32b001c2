import type { DocumentContext } from "./context.ts";
import { portableSchema } from "./portable.ts";
import { always, object, oneWord, type Schema, text, truth } from "./schema.ts";

/** What is submitted: one form for each type of change that the deployment declares. */
export function changeRequestBody({ changeRequestTypes }: DocumentContext): Schema {
  const forms = changeRequestTypes.map(({ name, schema, auto, summary }) => {
    const said = [`A change of the type ${name}${auto ? ", made at once" : ""}.`, summary];
    const description = said.filter((sentence) => sentence !== undefined).join(" ");
    const data = {
      ...portableSchema(schema),
      description: `What to change, as ${name} needs it.`,
    };
    const draft = truth("True keeps it as a draft instead of submitting it.");
    return object({ type: always(name), data, draft }, { optional: ["draft"], description });
  });
  return {
    description: "A change to be made.",
    ...(forms.length > 0 ? { oneOf: forms } : { type: "object" }),
  };
}

/** The names of the declared types, as a schema. */
export function changeRequestTypeName({ changeRequestTypes }: DocumentContext): Schema {
  const names = changeRequestTypes.map(({ name }) => name);
  const description = "What kind of change it is.";
  return names.length > 0 ? oneWord(names, description) : text(description);
}
