import type { Json, JsonObject } from "@fieldroll/core";
import { apiRoot } from "../http/route-table.ts";
import { migrationAnchor, migrationGuide } from "../v1/migration-guide.ts";
import type { DocumentContext } from "./context.ts";
import { list, members, nameOf, type OperationView, operationsOf, resolved, text } from "./document-view.ts";
import { firstSteps, firstStepsAnchor } from "./first-steps.ts";
import { type Html, html, inline, prose } from "./html.ts";
import { type Page, pageOf } from "./page.ts";
import { bounds, namedForms, schemaFields, typeOf } from "./schema-view.ts";

/** The page for people: first steps, what the OpenAPI document says, and how to come from version 1. */
export function docsPage(document: JsonObject, context: DocumentContext): Promise<Page> {
  const info = members(document.info);
  const operations = operationsOf(document, apiRoot);
  const tags = list(document.tags).map(members);
  const title = text(info.title);
  return pageOf(
    `${title}: the interface`,
    html`<header class="top"><h1>${title}</h1>
<p class="quiet">Version ${text(info.version)}. Root of the API: <code>${text(members(list(document.servers)[0]).url)}</code>. For programs: <a href="openapi.json">openapi.json</a>. When something goes wrong: <a href="errors">types of problem</a>.</p>
${prose(text(info.description))}</header>
<main>${firstSteps(context)}
<div class="columns">${contents(tags, operations)}
<div>${tags.map((tag) => tagSection(document, tag, operations))}
${schemaSections(document)}
${migrationGuide}</div></div></main>`,
  );
}

function contents(tags: readonly JsonObject[], operations: readonly OperationView[]): Html {
  const groups = tags.map((tag) => {
    const own = operations.filter((one) => one.tag === tag.name);
    const links = own.map((one) => html`<li><a href="#${one.id}">${text(one.operation.summary)}</a></li>`);
    return html`<details><summary>${text(tag.name)}</summary><ul>${links}</ul></details>`;
  });
  return html`<nav aria-label="Contents"><strong>Contents</strong>
<ul><li><a href="#${firstStepsAnchor}">First steps</a></li></ul>${groups}
<ul><li><a href="#schemas">Schemas</a></li><li><a href="#${migrationAnchor}">From V1 to V2</a></li></ul></nav>`;
}

function tagSection(document: JsonObject, tag: JsonObject, operations: readonly OperationView[]): Html {
  const own = operations.filter((one) => one.tag === tag.name);
  return html`<section><h2>${text(tag.name)}</h2>${prose(text(tag.description))}
${own.map((one) => operationSection(document, one))}</section>`;
}

function operationSection(document: JsonObject, view: OperationView): Html {
  const { operation, method, path, id } = view;
  return html`<article class="operation" id="${id}"><h3>${text(operation.summary)}</h3>
<p class="line"><span class="method ${method}">${method.toUpperCase()}</span> <code class="path">${path}</code></p>
${prose(text(operation.description))}
<p class="quiet">${access(operation)}</p>
${parameters(document, operation)}${body(document, operation)}${answers(document, operation)}</article>
`;
}

function access(operation: JsonObject): Html {
  const [first] = list(operation.security);
  if (first === undefined) return html`Public: needs no token.`;
  const scopes = list(members(first).oauth2).map(text);
  if (scopes.length === 0) return html`Needs a token.`;
  return html`Needs a token with the scope <code>${scopes.join(" ")}</code>.`;
}

function parameters(document: JsonObject, operation: JsonObject): Html {
  const rows = list(operation.parameters)
    .map((one) => resolved(document, one))
    .map((one) => {
      const place = `${text(one.in)}${one.required === true ? ", required" : ""}`;
      const schema = members(one.schema);
      const sample =
        one.example === undefined
          ? ""
          : html` Example: <code>${text(list(one.example)[0] ?? one.example)}</code>`;
      return html`<dt><code>${text(one.name)}</code> <span class="quiet">${place}, ${typeOf(schema)}${bounds(schema)}</span></dt>
<dd><p>${inline(text(one.description))}${sample}</p></dd>`;
    });
  if (rows.length === 0) return html``;
  return html`<details><summary>Parameters and headers (${rows.length})</summary><dl>${rows}</dl></details>`;
}

function body(document: JsonObject, operation: JsonObject): Html {
  if (operation.requestBody === undefined) return html``;
  const { content, required } = members(operation.requestBody);
  const types = Object.keys(members(content));
  const first = members(members(content)[types[0] ?? ""]);
  return html`<h4>Body${required === false ? " (may be left out)" : ""}</h4>
<p>${types.map((type) => html`<code>${type}</code> `)}: ${typeOf(members(first.schema))}</p>
${namedForms(document, members(first.schema))}${samples(document, first)}`;
}

function answers(document: JsonObject, operation: JsonObject): Html {
  const all = Object.entries(members(operation.responses));
  const isProblem = ([, value]: readonly [string, Json]) =>
    members(resolved(document, value).content)["application/problem+json"] !== undefined;
  const good = all
    .filter((one) => !isProblem(one))
    .map(([status, value]) => answer(document, status, resolved(document, value)));
  const problems = all.filter(isProblem).map(([status, value]) => problem(status, resolved(document, value)));
  return html`<h4>Answers</h4>${good}
<h4>Problems</h4><ul class="plain">${problems}</ul>`;
}

function answer(document: JsonObject, status: string, value: JsonObject): Html {
  const [entry] = Object.entries(members(value.content));
  const headers = Object.keys(members(value.headers)).map((name) => html`<code>${name}</code> `);
  const schema = entry ? members(members(entry[1]).schema) : {};
  const fields =
    schema.properties === undefined
      ? ""
      : html`<details><summary>Members</summary>${schemaFields(schema)}</details>`;
  const what = entry ? html` <code>${entry[0]}</code>: ${typeOf(schema)}.` : "";
  return html`<p><span class="status">${status}</span> ${inline(text(value.description))}${what}</p>
<p class="quiet">Headers: ${headers}</p>${fields}${entry ? samples(document, members(entry[1])) : ""}`;
}

function problem(status: string, value: JsonObject): Html {
  const { schema, examples } = members(members(value.content)["application/problem+json"]);
  const kinds = Object.keys(members(examples)).map(
    (kind) => html`<a href="errors/${kind.replace("registry-", "")}">${kind.replace("registry-", "")}</a> `,
  );
  const names = [schema, ...list(members(schema).oneOf)]
    .map((one) => nameOf(members(one)) ?? "")
    .filter(Boolean);
  const links = names.map((name) => html`<a href="#schema-${name}">${name}</a> `);
  return html`<li><span class="status">${status}</span> ${kinds}<span class="quiet">${links}</span></li>`;
}

function samples(document: JsonObject, media: JsonObject): Html {
  return html`${Object.values(members(media.examples)).map((one) => {
    const { summary, value } = resolved(document, one);
    const shown = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return html`<details><summary>${text(summary)}</summary><pre tabindex="0"><code>${shown}</code></pre></details>`;
  })}`;
}

/** Of a schema without members of its own. */
function namesOrType(document: JsonObject, schema: JsonObject): Html {
  if (schema.properties !== undefined) return html``;
  const forms = namedForms(document, schema);
  return forms.html === "" ? html`<p>${typeOf(schema)}</p>` : html`<p>One of:</p>${forms}`;
}

function schemaSections(document: JsonObject): Html {
  const sections = Object.entries(members(members(document.components).schemas)).map(([name, value]) => {
    const schema = members(value);
    return html`<article class="schema" id="schema-${name}"><h3>${name}</h3>
${prose(text(schema.description))}${schemaFields(schema)}${namesOrType(document, schema)}</article>
`;
  });
  return html`<section id="schemas"><h2>Schemas</h2>${sections}</section>`;
}
