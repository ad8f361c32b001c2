import { useFieldClient, useSyncStatus } from "@fieldroll/sync/react";
import { useFrame } from "./context.ts";
import { type FormState, useForm } from "./form.ts";

/** Begins a pause, or ends the one there is. */
export function usePausing(): { readonly paused: boolean; readonly form: FormState } {
  const client = useFieldClient();
  const { pauses } = useFrame();
  const { phase, signedInAs } = useSyncStatus();
  const paused = phase === "paused";
  const form = useForm(async () => {
    if (paused) {
      await client.resume();
      pauses.ended();
    } else {
      if (signedInAs !== null) pauses.begun(signedInAs);
      await client.pause();
    }
    return [];
  });
  return { paused, form };
}
