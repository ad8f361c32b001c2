import { useFieldClient } from "@fieldroll/sync/react";
import { useEffect, useState } from "react";

/** Who was signed in when the browser deleted the data of this site, until somebody signs in again; `null` where it did not. */
export function useCleared(): string | null {
  const { status } = useFieldClient();
  const [cleared, setCleared] = useState<string | null>(null);
  useEffect(
    () =>
      // Each status is looked at: the one that says so may be followed by another before anything is painted.
      status.subscribe(({ safeMode, signedInAs }) => {
        if (signedInAs === null) return;
        if (safeMode === "cleared") setCleared(signedInAs);
        else if (safeMode === null) setCleared(null);
      }),
    [status],
  );
  return cleared;
}
