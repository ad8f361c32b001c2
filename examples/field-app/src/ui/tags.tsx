import type { RecordState } from "@fieldroll/sync";
import { useSyncStatus } from "@fieldroll/sync/react";
import type { ReactNode } from "react";
import { isUnanswered } from "../model/sending.ts";
import { texts } from "../texts.ts";

const colours: Readonly<Record<RecordState, string>> = {
  synced: "green",
  pending: "blue",
  sending: "blue",
  parked: "orange",
};

/** Where a record stands between this device and the server. */
export function StateTag(props: { readonly state: RecordState }): ReactNode {
  const { phase } = useSyncStatus();
  const unanswered = props.state === "sending" && isUnanswered(phase);
  return (
    <strong
      className={`govuk-tag govuk-tag--${colours[props.state]}`}
      data-testid="record-state"
      data-state={props.state}
    >
      {texts.state[unanswered ? "unanswered" : props.state]}
    </strong>
  );
}

export function Tag(props: { readonly colour?: string; readonly children: string }): ReactNode {
  return <strong className={`govuk-tag govuk-tag--${props.colour ?? "grey"}`}>{props.children}</strong>;
}
