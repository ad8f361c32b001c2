import { StoreError, type StoreErrorCode } from "@fieldroll/core";
import type { SafeModeCause } from "../safe-mode-cause.ts";

const causes: Partial<Readonly<Record<StoreErrorCode, SafeModeCause>>> = {
  absent: "no-storage",
  quota: "no-space",
  "newer-schema": "newer-version",
  blocked: "other-tab",
  closed: "cleared",
};

/** Why nothing can be kept, as far as an error of the store says. */
export function safeModeCause(error: unknown): SafeModeCause {
  return (error instanceof StoreError && causes[error.code]) || "unreadable";
}
