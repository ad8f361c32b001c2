import type { ChangeRequestType, ExtensionDeclaration } from "@fieldroll/core";
import type { Route } from "../http/route-table.ts";

/** What the document depends on: the deployment, and the address at which it was asked for. */
export interface DocumentContext {
  readonly routes: readonly Route[];
  readonly namespace: string;
  readonly extensions: readonly ExtensionDeclaration[];
  readonly changeRequestTypes: readonly ChangeRequestType[];
  readonly appVersion: string;
  /** Root of the API, such as `https://registry.example.org/api/v2`. */
  readonly baseUrl: string;
  /** Root of the pages that say what a type of problem means. */
  readonly errorsUrl: string;
  /** A client that everybody may use, of a demonstration. */
  readonly exampleClient?: { readonly id: string; readonly secret: string };
}

/** Origin of the server, from the root of its API. */
export function originOf({ baseUrl }: Pick<DocumentContext, "baseUrl">): string {
  return new URL(baseUrl).origin;
}
