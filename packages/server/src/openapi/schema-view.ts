import type { Json, JsonObject } from "@fieldroll/core";
import { list, members, nameOf, resolved, text } from "./document-view.ts";
import { type Html, html, inline } from "./html.ts";

/** The members of a schema, one after the other; nested ones within. */
export function schemaFields(schema: JsonObject): Html {
  const required = list(schema.required);
  const fields = Object.entries(members(schema.properties)).map(([name, value]) => {
    const field = members(value);
    const need = required.includes(name) ? ", required" : "";
    return html`<dt><code>${name}</code> <span class="quiet">${typeOf(field)}${need}${bounds(field)}</span></dt>
<dd>${field.description === undefined ? "" : html`<p>${inline(text(field.description))}</p>`}${within(field)}</dd>`;
  });
  return fields.length === 0 ? html`` : html`<dl>${fields}</dl>`;
}

/** What is in a member: in the items of a list, and in each of several forms by its title. */
function within(field: JsonObject): Html {
  const forms = formsOf(field);
  const [only] = forms;
  if (forms.length < 2) return only ? schemaFields(only) : html``;
  return html`${forms.map((form, index) => html`<p>${text(form.title ?? `Form ${index + 1}`)}:</p>${schemaFields(form)}`)}`;
}

/** The forms with members of their own that a value may have; those with a name are told where it leads. */
function formsOf(schema: JsonObject): readonly JsonObject[] {
  if (schema.items !== undefined) return formsOf(members(schema.items));
  if (Object.keys(members(schema.properties)).length > 0) return [schema];
  return [...list(schema.anyOf), ...list(schema.oneOf)].map(members).flatMap(formsOf);
}

/** The forms of a schema that have names, each with what it is. */
export function namedForms(document: JsonObject, schema: JsonObject): Html {
  const { oneOf, anyOf } = resolved(document, schema);
  const forms = [...list(oneOf), ...list(anyOf)].map(members).filter((form) => nameOf(form) !== undefined);
  if (forms.length === 0) return html``;
  const rows = forms.map(
    (form) => html`<li>${typeOf(form)}: ${inline(text(resolved(document, form).description))}</li>`,
  );
  return html`<ul>${rows}</ul>`;
}

/** What a value is, in a few words; names lead to their schemas. */
export function typeOf(schema: JsonObject): Html {
  const name = nameOf(schema);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  if (schema.items !== undefined) {
    const orNull = list(schema.type).includes("null") ? " or null" : "";
    return html`list of ${typeOf(members(schema.items))}${orNull}`;
  }
  const forms = [...list(schema.anyOf), ...list(schema.oneOf)].map(members);
  if (forms.length > 0) return joined(forms.map(typeOf), " or ");
  if (schema.const !== undefined) return html`always <code>${text(schema.const)}</code>`;
  if (schema.enum !== undefined)
    return joined(
      list(schema.enum).map((word) => html`<code>${text(word)}</code>`),
      ", ",
    );
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? "any"];
  const format = schema.format === undefined ? "" : ` (${text(schema.format)})`;
  return html`${types.map((type: Json) => (type === "null" ? "null" : `${text(type)}${format}`)).join(" or ")}`;
}

/** What a value may be at least and at most, and what it is when it is left out. */
export function bounds(schema: JsonObject): string {
  const said: readonly (readonly [string, Json | undefined])[] = [
    ["at least", schema.minimum],
    ["at most", schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum],
    ["up to characters:", schema.maxLength],
    ["at least items:", schema.minItems],
    ["up to items:", schema.maxItems],
    ["default", schema.default],
    ["pattern", schema.pattern],
  ];
  return said
    .filter(([, value]) => value !== undefined)
    .map(([word, value]) => `, ${word} ${text(value)}`)
    .join("");
}

function joined(parts: readonly Html[], between: string): Html {
  return html`${parts.flatMap((part, index) => (index === 0 ? [part] : [html`${between}`, part]))}`;
}
