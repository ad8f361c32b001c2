import { useFieldClient, useSyncStatus } from "@fieldroll/sync/react";
import { useEffect, useState } from "react";

/**
 * How many records have changes that stay hidden on this device until whoever made them signs in; 0 until that is known. No status
 * tells it, and looking it up counts all that is here: so it is once on a screen, and whenever somebody signs in or out there.
 */
export function useSealed(): number {
  const client = useFieldClient();
  const { phase, signedInAs } = useSyncStatus();
  const [count, setCount] = useState(0);
  const isOpen = phase !== "stopped";
  // biome-ignore lint/correctness/useExhaustiveDependencies: who is signed in is what it is looked up for.
  useEffect(() => {
    if (!isOpen) return;
    let current = true;
    const look = async () => {
      const { documents } = await client.diagnostics();
      if (current) setCount(documents.sealed ?? 0);
    };
    // What can't be counted now is counted at the next moment; nothing else waits for it.
    look().catch(() => undefined);
    return () => {
      current = false;
    };
  }, [client, isOpen, signedInAs]);
  return count;
}
