/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** Root of the API where it is not on the app's own origin. */
  readonly VITE_SERVER?: string;
}
