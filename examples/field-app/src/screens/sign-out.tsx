import { useFieldClient, useSyncStatus } from "@fieldroll/sync/react";
import { type ReactNode, useState } from "react";
import { useFrame } from "../app/context.ts";
import { useForm } from "../app/form.ts";
import { isUnreached } from "../model/sending.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/faults.tsx";

/** Signing out; who has changes that are not sent, or no network to sign in again, is told so and asked. */
export function SignOut(): ReactNode {
  const client = useFieldClient();
  const status = useSyncStatus();
  const { pending, sending, parked } = status;
  const { go } = useFrame();
  const [asked, setAsked] = useState(false);
  const unsent = pending + sending + parked;
  const unreached = isUnreached(status, navigator.onLine);
  const asks = unsent > 0 || unreached;
  const leaving = useForm(async () => {
    const outcome = await client.signOut({ unsent: asked && unsent > 0 ? "seal" : "refuse" });
    if (!outcome.ok) return [{ field: "", code: outcome.problem.kind, message: outcome.problem.detail }];
    const { sealed } = outcome.value;
    go({ screen: "find" }, sealed > 0 ? texts.sync.kept(sealed) : undefined);
    return [];
  });
  if (!asked || !asks) {
    return (
      <>
        <ErrorSummary faults={leaving.faults} />
        <p className="govuk-hint">{texts.sync.signOutHint}</p>
        <Button
          look="secondary"
          busy={leaving.busy}
          onClick={() => (asks ? setAsked(true) : leaving.submit())}
        >
          {texts.sync.signOut}
        </Button>
      </>
    );
  }
  return (
    <section aria-labelledby="sign-out-asked">
      <ErrorSummary faults={leaving.faults} />
      <div className="govuk-body" id="sign-out-asked">
        {unsent > 0 && <p>{texts.sync.signOutUnsent(unsent)}</p>}
        {unreached && <p>{texts.sync.signOutUnreached}</p>}
      </div>
      <div className="app-actions">
        <Button look="warning" busy={leaving.busy} onClick={() => leaving.submit()}>
          {unsent > 0 ? texts.sync.signOutKeep : texts.sync.signOutAnyway}
        </Button>
        <Button look="secondary" onClick={() => setAsked(false)}>
          {texts.app.cancel}
        </Button>
      </div>
    </section>
  );
}
