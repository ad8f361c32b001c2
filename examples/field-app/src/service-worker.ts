import { type AppFile, serveOfflineApp } from "@fieldroll/sync/service-worker";

/** The files of the build, written here by the build (see `offline-build.ts`). */
declare const appFiles: readonly AppFile[];

serveOfflineApp({
  files: appFiles,
  // The server answers these itself, beside the app.
  notTheApp: [/^\/(api|oauth2|metadata|openapi\.json|docs|healthz|readyz|metrics)(\/|$)/],
});
