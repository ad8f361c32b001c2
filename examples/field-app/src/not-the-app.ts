/** Addresses that the server answers itself, beside the app: with them the service worker has nothing to do. */
export const notTheApp: readonly RegExp[] = [
  // What comes after a path is part of what is looked at.
  /^\/(api|oauth2|\.well-known|metadata|openapi\.json|docs|errors|healthz|readyz|metrics)([/?]|$)/,
];

/** What else below the app's folder is none of its pages, which are after `#`: below another path its files are not found. */
export function belowTheApp(folder: string): RegExp {
  const own = folder.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^(?!${own}(index\\.html)?([?]|$))`);
}
