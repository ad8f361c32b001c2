import {
  type ChangeRequestType,
  isJsonObject,
  type JsonObject,
  jsonSchemaOf,
  shippedChangeRequestTypes,
} from "@fieldroll/core";
import { annotated } from "./annotated.ts";
import { changeRequestNotesByType, changeRequestSamples } from "./change-request-notes.ts";
import type { DocumentContext } from "./context.ts";
import { withNames } from "./named-parts.ts";
import type { Examples } from "./operation.ts";
import { patchForm, propertiesOf } from "./patch-form.ts";
import { portableSchema } from "./portable.ts";
import { extensionSchema, partNames } from "./record-schemas.ts";
import { always, listOf, object, oneWord, ref, type Schema, text, truth } from "./schema.ts";

interface Form {
  readonly type: ChangeRequestType;
  /** Name of the schema of what is submitted; its data have the same with `Data`. */
  readonly name: string;
}

/** What may be submitted and what it asks for: schemas for each type of change that the deployment declares. */
export function changeRequestForms(context: DocumentContext): Readonly<Record<string, Schema>> {
  const forms = formsOf(context);
  const names = partNames(context);
  const schemas = forms.flatMap(({ type, name }): [string, Schema][] => [
    [name, submission(type, name)],
    [`${name}Data`, { title: `Data of ${type.name}`, ...dataOf(type, context, names) }],
  ]);
  return { ChangeRequestBody: anyForm(forms), ...Object.fromEntries(schemas) };
}

/** The data of any of the declared types. */
export function changeRequestData(context: DocumentContext, description: string): Schema {
  const data = formsOf(context).map(({ name }) => ref(`${name}Data`));
  return { description, ...(data.length > 0 ? { anyOf: data } : { type: "object" }) };
}

/** The names of the schemas of data, in words. */
export function namesOfData(context: DocumentContext): string {
  return formsOf(context)
    .map(({ name }) => `\`${name}Data\``)
    .join(", ");
}

/** The names of the declared types, as a schema. */
export function changeRequestTypeName({ changeRequestTypes }: DocumentContext): Schema {
  const names = changeRequestTypes.map(({ name }) => name);
  const description = "What kind of change it is.";
  return names.length > 0 ? oneWord(names, description) : text(description);
}

/** Several of the declared types, separated by commas in a query. */
export function changeRequestTypeNames(context: DocumentContext): Schema {
  const { description: _, ...name } = changeRequestTypeName(context);
  return listOf(name);
}

/**
 * What may be sent of each declared type. Of a type of the deployment's own it is what the Zod schema of its data has as its first
 * `examples`, and there is none without.
 */
export function changeRequestExamples(context: DocumentContext): Examples {
  const samples = context.changeRequestTypes.flatMap((type): [string, JsonObject][] => {
    const data = sampleOf(type, context);
    return data ? [[type.name, { type: type.name, data }]] : [];
  });
  return Object.fromEntries(samples.map(([name, value]) => [name, { summary: `Example of ${name}`, value }]));
}

function sampleOf(type: ChangeRequestType, context: DocumentContext): JsonObject | undefined {
  const { examples } = jsonSchemaOf(type.schema, "input");
  const [own] = Array.isArray(examples) ? examples : [];
  if (isJsonObject(own)) return own;
  if (!isShipped(type)) return undefined;
  const isFarmers = type.name === "add_farmer" || type.name === "edit_farmer";
  if (isFarmers && !declared(context, "farmer", "Individual")) return undefined;
  return changeRequestSamples(context.namespace)[type.name];
}

function formsOf({ changeRequestTypes }: DocumentContext): readonly Form[] {
  const taken = new Set<string>();
  return changeRequestTypes.map((type, index) => {
    const words = type.name
      .split(/[^A-Za-z0-9]+/)
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
    const plain = `${words.join("")}Change`;
    const name = taken.has(plain) ? `${plain}${index}` : plain;
    taken.add(name);
    return { type, name };
  });
}

function anyForm(forms: readonly Form[]): Schema {
  const description = "A change to be made.";
  if (forms.length === 0) return { type: "object", description };
  const places = forms.map(({ type, name }) => [type.name, ref(name).$ref]);
  return {
    description,
    oneOf: forms.map(({ name }) => ref(name)),
    discriminator: { propertyName: "type", mapping: Object.fromEntries(places) },
  };
}

function submission({ name: type, auto, summary }: ChangeRequestType, name: string): Schema {
  const said = [`A change of the type ${type}${auto ? ", made at once" : ""}.`, summary];
  const description = said.filter((sentence) => sentence !== undefined).join(" ");
  const data = { ...ref(`${name}Data`), description: `What to change, as ${type} needs it.` };
  const draft = truth("True keeps it as a draft instead of submitting it.");
  return {
    title: type,
    ...object({ type: always(type), data, draft }, { optional: ["draft"], description }),
  };
}

function dataOf(
  type: ChangeRequestType,
  context: DocumentContext,
  names: ReadonlyMap<string, string>,
): Schema {
  const { examples: _, ...data } = portableSchema(type.schema);
  const description = `What to change, as ${type.name} needs it.`;
  if (!isShipped(type)) return { description, ...withNames(data, names) };
  const typed = withExtensions(type.name, data, context);
  const told = {
    "": `${description}${withoutExtension(type.name, context)}`,
    ...changeRequestNotesByType[type.name],
  };
  return annotated(withNames(typed, withoutBeneficiary(names)), told);
}

/** Whose consent it is, is no beneficiary, though it is written like one. */
function withoutBeneficiary(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...names].filter(([, name]) => name !== "BeneficiaryReference"));
}

/** The types that are shipped take extensions as the deployment declares them. */
function withExtensions(type: string, data: Schema, context: DocumentContext): Schema {
  const { farm: untyped, ...others } = propertiesOf(data);
  const farmer = declared(context, "farmer", "Individual");
  const farm = declared(context, "farm", "Group");
  const form = farmer && type === "edit_farmer" ? patchForm(farmer) : farmer;
  const properties = {
    ...others,
    ...(others.farmer && form ? { farmer: form } : {}),
    ...(untyped && farm ? { farm } : {}),
  };
  return { ...data, properties };
}

/** Says of which extension nothing can be sent, and what follows. */
function withoutExtension(type: string, context: DocumentContext): string {
  if (type === "create_farm" && !declared(context, "farm", "Group"))
    return " It takes no `farm`: this deployment declares no extension of that name for groups.";
  const needsFarmer = type === "add_farmer" || type === "edit_farmer";
  if (needsFarmer && !declared(context, "farmer", "Individual"))
    return " It is always refused: this deployment declares no extension `farmer` for people.";
  return "";
}

function declared(
  { extensions, namespace }: DocumentContext,
  name: string,
  type: "Individual" | "Group",
): Schema | undefined {
  const found = extensions.find((one) => one.name === name && one.appliesTo.includes(type));
  return found ? extensionSchema(found, namespace) : undefined;
}

function isShipped(type: ChangeRequestType): boolean {
  return shippedChangeRequestTypes.includes(type);
}
