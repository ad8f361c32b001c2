/// <reference types="vite/client" />

/** Names the build of the worker, in the page too; written here by the build (see `build-id.ts`). */
declare const appBuild: string;

interface ImportMetaEnv {
  /** Root of the API where it is not on the app's own origin. */
  readonly VITE_SERVER?: string;
}
