import { createContext, useContext } from "react";
import type { Route } from "../route.ts";
import type { Drafts } from "./drafts.ts";

/** What every screen may use of the app around it. */
export interface AppFrame {
  /** The present day where this device is, `YYYY-MM-DD`. */
  today(): string;
  /** A new UUID, for identifiers. */
  newId(): string;
  /** Opens a screen; the message is shown there once. */
  go(route: Route, message?: string): void;
  /** What was typed into forms and not saved. */
  readonly drafts: Drafts;
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
