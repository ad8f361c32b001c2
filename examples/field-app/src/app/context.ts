import type { SyncStatus } from "@fieldroll/sync";
import { createContext, useContext } from "react";
import type { Route } from "../route.ts";
import type { Drafts } from "./drafts.ts";
import type { PauseNote } from "./pause-note.ts";

/** A message: a text, or what makes it of the present status, which may come to nothing. */
export type Telling = string | ((status: SyncStatus) => string | undefined);

/** What every screen may use of the app around it. */
export interface AppFrame {
  /** The present day where this device is, `YYYY-MM-DD`. */
  today(): string;
  /** A new UUID, for identifiers. */
  newId(): string;
  /** Opens a screen; the message is shown there once. */
  go(route: Route, message?: Telling): void;
  /** What was typed into forms and not saved. */
  readonly drafts: Drafts;
  /** Who began the pause of this device, and when. */
  readonly pauses: PauseNote;
  /** References of registrations that were given up since the app was opened: the way back may lead to them. */
  readonly givenUp: Set<string>;
  /** The feed that this device follows. */
  readonly feed: string;
  /** The name of the area that this device follows; `null` for all areas. */
  readonly area: string | null;
  /** The address that new households start with, from the chosen area. */
  readonly home: { readonly country?: string; readonly state?: string; readonly city?: string };
}

export const FrameContext = createContext<AppFrame | null>(null);

export function useFrame(): AppFrame {
  const frame = useContext(FrameContext);
  if (!frame) throw new Error("A screen is shown outside of the app's frame.");
  return frame;
}
