import { type ProblemKind, problemKinds } from "@fieldroll/core";
import { html, inline } from "./html.ts";
import { type Page, pageOf } from "./page.ts";
import { problemGuides } from "./problem-guide.ts";
import { kindsOfProblem } from "./problem-schemas.ts";

/** The page that lists every type of problem, each with what it means and what a client does about it. */
export function errorIndex(namespace: string): Promise<Page> {
  const types = kindsOfProblem.map((kind) => {
    const { title, status } = problemKinds[kind];
    const { meaning, action } = problemGuides[kind];
    return html`<dt><a href="errors/${kind}">${title}</a> <span class="quiet">${status}, <code>urn:${namespace}:error:${kind}</code></span></dt>
<dd><p>${inline(meaning)}</p><p><strong>What to do:</strong> ${inline(action)}</p></dd>`;
  });
  return pageOf(
    "Types of problem",
    html`<header class="top"><h1>Types of problem</h1>
<p>${inline("What goes wrong is told as problem details (RFC 9457, `application/problem+json`). Decide by the member `type`, which stays; `title` and `detail` are for people. The token endpoint answers as RFC 6749 section 5.2 says.")}</p>
<p><a href="docs">The whole interface</a></p></header>
<main><dl class="problems">${types}</dl></main>`,
  );
}

/** The page of a type of problem, or `undefined` when there is no such type. */
export async function errorPage(kind: string, namespace: string): Promise<Page | undefined> {
  const known = kindsOfProblem.find((one) => one === kind);
  return known && pageOf(`${problemKinds[known].title}: a type of problem`, content(known, namespace));
}

function content(kind: ProblemKind, namespace: string) {
  const { title, status } = problemKinds[kind];
  const { meaning, action } = problemGuides[kind];
  const others = kindsOfProblem
    .filter((other) => other !== kind)
    .map(
      (other) =>
        html`<li><a href="${other}">${problemKinds[other].title}</a> <span class="quiet">${problemKinds[other].status}</span></li>`,
    );
  return html`<header class="top"><h1>${title}</h1>
<p class="quiet">HTTP status ${status}, type <code>urn:${namespace}:error:${kind}</code></p></header>
<main>
<h2>What it means</h2><p>${inline(meaning)}</p>
<h2>What to do</h2><p>${inline(action)}</p>
<h2>Other types</h2><ul class="plain">${others}</ul>
<p><a href="../errors">All types with what to do</a> · <a href="../docs">The whole interface</a></p>
</main>`;
}
