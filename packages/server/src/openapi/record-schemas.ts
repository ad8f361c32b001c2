import {
  createSchemas,
  type ExtensionDeclaration,
  extensionUrl,
  isJsonObject,
  jsonSchemaOf,
  type ResourceType,
  resourceTypes,
} from "@fieldroll/core";
import type { DocumentContext } from "./context.ts";
import { namedParts, withNames } from "./named-parts.ts";
import { patchForm, propertiesOf, withoutDefault } from "./patch-form.ts";
import { requestBodies } from "./request-schemas.ts";
import { listOf, object, ref, type Schema } from "./schema.ts";

/** Which of a record's forms has which name in the document: `Individual`, `IndividualBody`, `IndividualPatch`. */
type Form = "" | "Body" | "Patch";

/** The name of the schema of a type of record: as shown, as sent whole, or as sent to change it. */
export function recordSchemaName(type: ResourceType, form: Form = ""): string {
  return `${type}${form}`;
}

/** The schemas of every record of the deployment, of their parts, and of the bodies that are no records; made from those that validate them. */
export function recordSchemas(context: DocumentContext): Readonly<Record<string, Schema>> {
  const bodies = sentForms(context);
  const { parts, names } = namedParts(bodies);
  const forms = resourceTypes.flatMap((type) => [
    [recordSchemaName(type), shownForm(type, bodies[type])] as const,
    [recordSchemaName(type, "Body"), bodyForm(type, bodies[type])] as const,
    [recordSchemaName(type, "Patch"), patchForm(bodies[type])] as const,
  ]);
  return {
    ...parts,
    ...Object.fromEntries(forms.map(([name, schema]) => [name, withNames(schema, names)])),
    ...requestBodies(names, context.namespace),
    Meta: object(
      {
        versionId: { type: "string", pattern: "^[0-9]+$" },
        lastUpdated: { type: "string", format: "date-time" },
        source: { type: "string" },
      },
      { optional: ["versionId", "lastUpdated", "source"] },
    ),
    ConsentNote: object(
      {
        status: { type: "string", enum: ["active", "legal_basis", "none"] },
        scope: listOf({ type: "string" }),
        expires: { type: "string", format: "date" },
      },
      { optional: ["scope", "expires"] },
    ),
  };
}

/** Each record as its Zod schema takes it, with the extensions that the deployment declares for it. */
function sentForms(context: DocumentContext): Readonly<Record<ResourceType, Schema>> {
  const { namespace, extensions } = context;
  const schemas = createSchemas({ today: () => "", namespace, extensions });
  const form = (type: ResourceType): Schema => {
    const { $defs: _, ...schema } = jsonSchemaOf(schemas[type], "input");
    return withMember(schema, "extension", extensionForm(type, context));
  };
  return {
    Individual: form("Individual"),
    Group: form("Group"),
    Program: form("Program"),
    ProgramMembership: form("ProgramMembership"),
  };
}

function extensionForm(type: ResourceType, { extensions, namespace }: DocumentContext): Schema {
  const declared = extensions.filter(({ appliesTo }) => appliesTo.includes(type));
  const members = declared.map((one): [string, Schema] => [one.name, extensionSchema(one, namespace)]);
  const names = members.map(([name]) => name);
  return object(Object.fromEntries(members), { optional: names });
}

/** What an extension holds, as the deployment declares it. */
export function extensionSchema(declaration: ExtensionDeclaration, namespace: string): Schema {
  const { $defs: _, ...schema } = jsonSchemaOf(declaration.schema, "input");
  const url = { type: "string", const: extensionUrl(declaration, namespace) };
  return { ...schema, properties: { url, ...propertiesOf(schema) } };
}

/** The names of the parts that records share, by the text of the schema that each stands for. */
export function partNames(context: DocumentContext): ReadonlyMap<string, string> {
  return namedParts(sentForms(context)).names;
}

/**
 * As sent to create or replace: what the service derives may be sent back, and is passed over. Defaults are told in words,
 * since generators of clients take a member with a default for one that is always there.
 */
function bodyForm(type: ResourceType, schema: Schema): Schema {
  const members = Object.entries(propertiesOf(schema)).map(([name, member]) => [
    name,
    withoutDefault(member),
  ]);
  const properties: Record<string, Schema> = Object.fromEntries(members);
  for (const [name, member] of Object.entries(derivedMembers[type])) {
    properties[name] = { ...member, readOnly: true };
  }
  return { ...schema, properties };
}

/** As shown: any member but type and identifier may be missing, by consent or by `_elements`. */
function shownForm(type: ResourceType, schema: Schema): Schema {
  const { identifier, ...members } = propertiesOf(schema);
  const shown = Object.entries(members).map(([name, member]) => [name, partial(withoutDefault(member))]);
  return {
    ...schema,
    properties: {
      identifier: { ...identifier, minItems: 1 },
      ...Object.fromEntries(shown),
      ...derivedMembers[type],
      _consent: ref("ConsentNote"),
    },
    required: ["type", "identifier"],
  };
}

/** One dotted level of `_elements` or of a consent may leave any member out. */
function partial(schema: Schema): Schema {
  if (isJsonObject(schema.items)) return { ...schema, items: partial(schema.items) };
  const { required: _, ...rest } = schema;
  return schema.type === "object" ? rest : schema;
}

function withMember(schema: Schema, name: string, member: Schema): Schema {
  return { ...schema, properties: { ...propertiesOf(schema), [name]: member } };
}

const meta = ref("Meta");

const derivedMembers: Readonly<Record<ResourceType, Readonly<Record<string, Schema>>>> = {
  Individual: {
    groupMembership: listOf(
      object(
        { group: ref("GroupReference"), role: ref("CodeableConcept"), period: ref("Period") },
        { optional: ["group", "role", "period"] },
      ),
    ),
    meta,
  },
  Group: { quantity: { type: "integer", minimum: 0 }, meta },
  Program: { status: { type: "string", enum: ["active", "ended"] }, meta },
  ProgramMembership: { meta },
};
