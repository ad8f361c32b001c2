import { useFieldClient, useSyncStatus } from "@fieldroll/sync/react";
import { type ReactNode, useState } from "react";
import { useFrame } from "../app/context.ts";
import { useForm } from "../app/form.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/faults.tsx";

/** Signing out; who has changes that are not sent is told how many, and asked. */
export function SignOut(): ReactNode {
  const client = useFieldClient();
  const { pending, sending, parked } = useSyncStatus();
  const { go } = useFrame();
  const [asked, setAsked] = useState(false);
  const unsent = pending + sending + parked;
  const leaving = useForm(async () => {
    const outcome = await client.signOut({ unsent: asked ? "seal" : "refuse" });
    if (!outcome.ok) return [{ field: "", code: outcome.problem.kind, message: outcome.problem.detail }];
    const { sealed } = outcome.value;
    go({ screen: "find" }, sealed > 0 ? texts.sync.kept(sealed) : undefined);
    return [];
  });
  if (!asked || unsent === 0) {
    return (
      <>
        <ErrorSummary faults={leaving.faults} />
        <p className="govuk-hint">{texts.sync.signOutHint}</p>
        <Button
          look="secondary"
          busy={leaving.busy}
          onClick={() => (unsent > 0 ? setAsked(true) : leaving.submit())}
        >
          {texts.sync.signOut}
        </Button>
      </>
    );
  }
  return (
    <section aria-labelledby="sign-out-unsent">
      <ErrorSummary faults={leaving.faults} />
      <p className="govuk-body" id="sign-out-unsent">
        {texts.sync.signOutUnsent(unsent)}
      </p>
      <div className="app-actions">
        <Button look="warning" busy={leaving.busy} onClick={() => leaving.submit()}>
          {texts.sync.signOutKeep}
        </Button>
        <Button look="secondary" onClick={() => setAsked(false)}>
          {texts.app.cancel}
        </Button>
      </div>
    </section>
  );
}
