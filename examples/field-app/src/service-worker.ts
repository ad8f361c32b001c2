import { type AppFile, serveOfflineApp } from "@fieldroll/sync/service-worker";
import { belowTheApp, notTheApp } from "./not-the-app.ts";

/** The files of the build, written here by the build (see `offline-build.ts`). */
declare const appFiles: readonly AppFile[];

const folder = new URL("./", self.location.href).pathname;

serveOfflineApp({ files: appFiles, notTheApp: [...notTheApp, belowTheApp(folder)] });
