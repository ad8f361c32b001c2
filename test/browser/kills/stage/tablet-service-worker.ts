import { type AppFile, serveOfflineApp } from "@fieldroll/sync/service-worker";

/** The files of the app, written here by its bundling. */
declare const appFiles: readonly AppFile[];

serveOfflineApp({ files: appFiles, notTheApp: [/^\/(api|oauth2)(\/|$)/] });
