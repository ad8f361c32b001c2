import type { DocumentContext } from "./context.ts";
import { docsPage } from "./docs-page.ts";
import { openApiDocument } from "./document.ts";
import { digest } from "./page.ts";

/** A text as it is published: with the media type, the tag of this very text, and the policy of a page. */
export interface Publication {
  readonly text: string;
  readonly mediaType: string;
  /** A strong entity tag, in double quotes. */
  readonly etag: string;
  readonly policy?: string;
}

/** The document and its page, for the address at which they are asked for. */
export interface Publications {
  document(context: DocumentContext): Promise<Publication>;
  page(context: DocumentContext): Promise<Publication>;
}

/** Makes publications once for an address, and again when another one is asked for. */
export function createPublications(): Publications {
  return { document: remembered(publishDocument), page: remembered(publishPage) };
}

async function publishDocument(context: DocumentContext): Promise<Publication> {
  const text = JSON.stringify(openApiDocument(context));
  return { text, mediaType: "application/json", etag: await tagOf(text) };
}

async function publishPage(context: DocumentContext): Promise<Publication> {
  const { html, policy } = await docsPage(openApiDocument(context), context);
  return { text: html, mediaType: "text/html; charset=utf-8", etag: await tagOf(html), policy };
}

async function tagOf(text: string): Promise<string> {
  return `"${await digest(text)}"`;
}

/** Only the newest is kept: callers may name any host. */
function remembered(publish: (context: DocumentContext) => Promise<Publication>) {
  let last: { readonly baseUrl: string; readonly made: Promise<Publication> } | undefined;
  return (context: DocumentContext): Promise<Publication> => {
    if (last?.baseUrl === context.baseUrl) return last.made;
    const made = publish(context);
    last = { baseUrl: context.baseUrl, made };
    return made;
  };
}
