import type { SafeModeCause } from "@fieldroll/sync";
import type { AppUpdate } from "@fieldroll/sync/page";
import type { ReactNode } from "react";
import { afterDrafts } from "../app/after-drafts.ts";
import { useFrame } from "../app/context.ts";
import { texts } from "../texts.ts";
import { Button } from "./button.tsx";
import { Page } from "./page.tsx";

interface SafeModeProps {
  readonly cause: SafeModeCause;
  /** The message of its cause, for developers. */
  readonly detail: string | null;
}

/** The cause as a person meets it: what another tab has updated, no server has any more. */
export function shownCause(cause: SafeModeCause, update: AppUpdate | null): SafeModeCause {
  return cause === "not-loaded" && update?.isTaken ? "other-build" : cause;
}

/** Stands in the place of every screen while nobody knows who is signed in; it goes when the cause does. */
export function SafeModePage(props: SafeModeProps): ReactNode {
  return (
    <Page title={texts.safeMode.title}>
      <SafeModeWords {...props} />
    </Page>
  );
}

/** What is wrong, what helps, and a button where that is to load the app again. */
export function SafeModeWords(props: SafeModeProps): ReactNode {
  const { drafts } = useFrame();
  const { cause, remedy } = texts.safeMode.causes[props.cause];
  return (
    <>
      <p className="govuk-body">{cause}</p>
      <p className="govuk-body">{remedy}</p>
      {["newer-version", "other-build", "unreadable"].includes(props.cause) && (
        <Button look="secondary" onClick={() => void afterDrafts(drafts, () => window.location.reload())}>
          {texts.safeMode.reload}
        </Button>
      )}
      {props.detail !== null && (
        <details className="govuk-details">
          <summary className="govuk-details__summary">
            <span className="govuk-details__summary-text">{texts.safeMode.details}</span>
          </summary>
          <div className="govuk-details__text">{props.detail}</div>
        </details>
      )}
    </>
  );
}
