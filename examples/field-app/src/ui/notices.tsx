import { useSyncStatus } from "@fieldroll/sync/react";
import type { ReactNode } from "react";
import { useRights } from "../app/rights.ts";
import { clockText, isClockWrong } from "../model/clock-text.ts";
import { isInVain } from "../model/rights.ts";
import type { Route } from "../route.ts";
import { texts } from "../texts.ts";
import { Button, LinkButton } from "./button.tsx";

/** What a person should know on every screen: offline, sign-in needed, nothing can be saved or sent, first download, new version. */
export function Notices(props: { readonly route: Route; readonly update: (() => void) | null }): ReactNode {
  const status = useSyncStatus();
  const rights = useRights();
  const { update } = props;
  const signedIn = status.signedInAs !== null;
  const asksSignIn = signedIn && status.needsSignIn && props.route.screen !== "sign-in";
  return (
    <section aria-label={texts.banner.title}>
      <div aria-live="polite">
        {status.phase === "safe-mode" && (
          <Notice look="stop" text={texts.banner.safeMode}>
            {status.lastError !== null && <p>{status.lastError}</p>}
          </Notice>
        )}
        {status.phase === "offline" && <Notice look="calm" text={texts.banner.offline} />}
        {isClockWrong(status.clockSkew) && (
          <Notice look="ask" text={texts.banner.clock(clockText(status.clockSkew))} />
        )}
        {asksSignIn && (
          <Notice look="ask" text={texts.banner.signIn}>
            <LinkButton to={{ screen: "sign-in" }}>{texts.banner.signInAction}</LinkButton>
          </Notice>
        )}
        {isInVain(props.route, rights) && <Notice look="ask" text={texts.rights.inVain} />}
        {signedIn && !status.firstSync.complete && status.phase === "pulling" && (
          <Notice look="calm" text={texts.banner.firstSync(status.firstSync.records)} />
        )}
      </div>
      {update && (
        <Notice look="ask" text={texts.app.newVersion}>
          <Button look="secondary" onClick={update}>
            {texts.app.useNewVersion}
          </Button>
        </Notice>
      )}
    </section>
  );
}

function Notice(props: {
  readonly look: "calm" | "ask" | "stop";
  readonly text: string;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <div className={`app-notice app-notice--${props.look}`}>
      <div className="govuk-width-container">
        <p>{props.text}</p>
        {props.children}
      </div>
    </div>
  );
}

/** What was just done, said once. */
export function Message(props: { readonly text: string }): ReactNode {
  return (
    <div className="app-notice app-notice--done" role="status">
      <div className="govuk-width-container">
        <p>{props.text}</p>
      </div>
    </div>
  );
}
