import { type AppFile, serveOfflineApp } from "@fieldroll/sync/service-worker";
import { notTheApp } from "./not-the-app.ts";

/** The files of the build, written here by the build (see `offline-build.ts`). */
declare const appFiles: readonly AppFile[];

serveOfflineApp({ files: appFiles, notTheApp });
