/** Addresses that the server answers itself, beside the app: with them the service worker has nothing to do. */
export const notTheApp: readonly RegExp[] = [
  // What comes after a path is part of what is looked at.
  /^\/(api|oauth2|\.well-known|metadata|openapi\.json|docs|errors|healthz|readyz|metrics)([/?]|$)/,
];
