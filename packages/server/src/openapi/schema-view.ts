import type { Json, JsonObject } from "@fieldroll/core";
import { list, members, nameOf, text } from "./document-view.ts";
import { type Html, html, inline } from "./html.ts";

/** The members of a schema, one after the other; nested ones within. */
export function schemaFields(schema: JsonObject): Html {
  const required = list(schema.required);
  const fields = Object.entries(members(schema.properties)).map(([name, value]) => {
    const field = members(value);
    const nested = Object.keys(members(inner(field).properties)).length > 0;
    const need = required.includes(name) ? ", required" : "";
    return html`<dt><code>${name}</code> <span class="quiet">${typeOf(field)}${need}${bounds(field)}</span></dt>
<dd>${field.description === undefined ? "" : html`<p>${inline(text(field.description))}</p>`}${nested ? schemaFields(inner(field)) : ""}</dd>`;
  });
  return fields.length === 0 ? html`` : html`<dl>${fields}</dl>`;
}

/** The items of a list, or one of several forms that has members. */
function inner(schema: JsonObject): JsonObject {
  if (schema.items !== undefined) return inner(members(schema.items));
  const form = list(schema.anyOf)
    .map(members)
    .find((one) => one.properties !== undefined);
  return form ?? schema;
}

/** What a value is, in a few words; names lead to their schemas. */
export function typeOf(schema: JsonObject): Html {
  const name = nameOf(schema);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  if (schema.items !== undefined) return html`list of ${typeOf(members(schema.items))}`;
  const forms = [...list(schema.anyOf), ...list(schema.oneOf)].map(members);
  if (forms.length > 0) return joined(forms.map(typeOf), " or ");
  if (schema.const !== undefined) return html`always <code>${text(schema.const)}</code>`;
  if (schema.enum !== undefined)
    return joined(
      list(schema.enum).map((word) => html`<code>${text(word)}</code>`),
      ", ",
    );
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? "any"];
  const words = types.map((type: Json) => text(type)).join(" or ");
  return html`${schema.format === undefined ? words : `${words} (${text(schema.format)})`}`;
}

function bounds(schema: JsonObject): string {
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
