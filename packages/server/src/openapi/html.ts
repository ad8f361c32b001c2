/** HTML that needs no more escaping. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | number | readonly Part[];

/** Writes HTML: what is put in is escaped, unless it is {@link Html} itself. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const written = texts.map((text, index) => {
    const part = parts[index];
    return part === undefined ? text : text + print(part);
  });
  return { html: written.join("") };
}

/** Text in which `code` stands in backticks, and paragraphs are parted by empty lines. */
export function prose(text: string): Html {
  const paragraphs = text.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>`);
  return html`${paragraphs}`;
}

/** As {@link prose}, within a line. */
export function inline(text: string): Html {
  const pieces = text
    .split("`")
    .map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`));
  return html`${pieces}`;
}

function print(part: Part): string {
  if (typeof part === "string") return escaped(part);
  if (typeof part === "number") return String(part);
  if ("html" in part) return part.html;
  return part.map(print).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
