import type { AppUpdate } from "@fieldroll/sync/page";
import { useSyncStatus } from "@fieldroll/sync/react";
import type { ReactNode } from "react";
import { useFrame } from "../app/context.ts";
import { usePausing } from "../app/pausing.ts";
import { useRights } from "../app/rights.ts";
import { clockText, isClockWrong } from "../model/clock-text.ts";
import { firstSyncText } from "../model/first-sync-text.ts";
import { pauseText } from "../model/pause-text.ts";
import { isInVain } from "../model/rights.ts";
import type { Route } from "../route.ts";
import { texts } from "../texts.ts";
import { Button, LinkButton } from "./button.tsx";
import { SafeModeWords, shownCause } from "./safe-mode.tsx";

/** What a person should know on every screen: offline, a pause, sign-in needed, nothing can be saved or sent, first download, new version. */
export function Notices(props: { readonly route: Route; readonly update: AppUpdate | null }): ReactNode {
  const status = useSyncStatus();
  const rights = useRights();
  const { update } = props;
  const signedIn = status.signedInAs !== null;
  const download = firstSyncText(status);
  const asksSignIn = signedIn && status.needsSignIn && props.route.screen !== "sign-in";
  return (
    <section aria-label={texts.banner.title}>
      <div aria-live="polite">
        {status.safeMode !== null && signedIn && (
          <Notice look="stop" text={texts.safeMode.title}>
            <SafeModeWords cause={shownCause(status.safeMode, update)} detail={status.lastError} />
          </Notice>
        )}
        {status.phase === "paused" && (
          <PauseNotice signedInAs={status.signedInAs} withButton={props.route.screen !== "sync"} />
        )}
        {status.networkProblem && (
          <Notice look="ask" text={texts.network.portal}>
            <a
              className="govuk-link"
              href={status.networkProblem.link}
              target="_blank"
              rel="noopener noreferrer"
            >
              {texts.network.open}
            </a>
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
        {download !== undefined && <Notice look="calm" text={download} />}
      </div>
      {update && (
        <Notice look="ask" text={update.isTaken ? texts.app.takenVersion : texts.app.newVersion}>
          <Button look="secondary" onClick={update.apply}>
            {texts.app.useNewVersion}
          </Button>
        </Notice>
      )}
    </section>
  );
}

/** The pause, and the button that ends it; the Sync screen has one of its own. */
function PauseNotice(props: { readonly signedInAs: string | null; readonly withButton: boolean }): ReactNode {
  const { pauses } = useFrame();
  const { form } = usePausing();
  return (
    <Notice look="ask" text={pauseText(pauses.read(), props.signedInAs)}>
      {props.withButton && (
        <Button look="secondary" busy={form.busy} onClick={() => form.submit()}>
          {texts.sync.resume}
        </Button>
      )}
    </Notice>
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
