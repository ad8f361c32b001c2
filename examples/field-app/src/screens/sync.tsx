import type { JsonObject } from "@fieldroll/core";
import type { ParkedRecord, SyncStatus, UnsentRecord } from "@fieldroll/sync";
import { useFieldClient, useParked, useRecord, useSyncStatus, useUnsent } from "@fieldroll/sync/react";
import { type ReactNode, useState } from "react";
import { useFrame } from "../app/context.ts";
import { problemFaults, useForm } from "../app/form.ts";
import { useNames } from "../app/names.ts";
import { usePausing } from "../app/pausing.ts";
import { useRights } from "../app/rights.ts";
import { saveFile } from "../app/save-file.ts";
import { clockText } from "../model/clock-text.ts";
import { instantText } from "../model/person-text.ts";
import { parkedTitle, referencesIn } from "../model/record-title.ts";
import {
  isHeldByDecision,
  isUnanswered,
  momentOf,
  phaseText,
  problemText,
  syncOutcome,
} from "../model/sending.ts";
import { whyParked } from "../model/why-text.ts";
import { recordRoute } from "../route.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/faults.tsx";
import { Item } from "../ui/items.tsx";
import { Page, Section } from "../ui/page.tsx";
import { SealedNotice } from "../ui/sealed.tsx";
import { Summary } from "../ui/summary.tsx";
import { StateTag, Tag } from "../ui/tags.tsx";
import { CarryOver } from "./carry-over.tsx";
import { SignOut } from "./sign-out.tsx";

/** What was sent, what waits, what needs a decision, and when the next attempt is. */
export function SyncScreen(): ReactNode {
  const client = useFieldClient();
  const status = useSyncStatus();
  const [outcome, setOutcome] = useState({ text: "", moment: "" });
  const syncing = useForm(async () => {
    const then = await client.sync();
    setOutcome({ text: syncOutcome(then), moment: momentOf(then) });
    return [];
  });
  // What was said is not so any more once the status is another.
  const said = outcome.moment === momentOf(status) ? outcome.text : "";
  const { paused, form: pausing } = usePausing();
  const reporting = useForm(async () => {
    saveFile("fieldroll-report.json", JSON.stringify(await client.diagnostics(), null, 2));
    return [];
  });
  return (
    <Page title={texts.sync.title}>
      <ErrorSummary faults={[...syncing.faults, ...reporting.faults]} />
      <Numbers status={status} />
      {paused && <p className="govuk-body">{texts.sync.pausedHint}</p>}
      {!paused && (
        <Button busy={syncing.busy} onClick={() => syncing.submit()}>
          {texts.sync.now}
        </Button>
      )}
      <p className="govuk-body" role="status" data-testid="sync-outcome">
        {syncing.busy ? texts.sync.underWay : said}
      </p>
      <Button look={paused ? "primary" : "secondary"} busy={pausing.busy} onClick={() => pausing.submit()}>
        {paused ? texts.sync.resume : texts.sync.pause}
      </Button>
      <ParkedSection />
      <UnsentSection />
      <SealedNotice />
      <AwaitingConsent status={status} />
      <Section title={texts.sync.progress}>
        {!status.firstSync.complete && status.signedInAs !== null && (
          <progress className="app-progress" aria-label={texts.sync.firstSync} />
        )}
        <ProgressSummary status={status} />
      </Section>
      <p className="govuk-hint">{texts.sync.reportHint}</p>
      <Button look="secondary" busy={reporting.busy} onClick={() => reporting.submit()}>
        {texts.sync.report}
      </Button>
      <CarryOver />
      <SignOut />
    </Page>
  );
}

function Numbers(props: { readonly status: SyncStatus }): ReactNode {
  const { pending, sending, parked, phase } = props.status;
  const { changesRecords } = useRights();
  const sendingLabel = isUnanswered(phase) ? texts.sync.unanswered : texts.sync.sending;
  const numbers = [
    ["pending-count", texts.sync.pending, pending, false],
    ["sending-count", sendingLabel, sending, false],
    ["parked-count", texts.sync.parked, parked, parked > 0],
  ] as const;
  return (
    <>
      <h2 className="govuk-visually-hidden">{texts.sync.numbers}</h2>
      <dl className="app-numbers">
        {numbers.map(([id, label, count, asks]) => (
          <div className={asks ? "app-number app-number--ask" : "app-number"} key={id}>
            <dt>{label}</dt>
            <dd data-testid={id}>{count}</dd>
          </div>
        ))}
      </dl>
      {pending + sending > 0 && !changesRecords && <p className="govuk-inset-text">{texts.rights.unsent}</p>}
    </>
  );
}

function AwaitingConsent(props: { readonly status: SyncStatus }): ReactNode {
  const { records, oldestAt } = props.status.awaitingConsent;
  if (records === 0 || oldestAt === null) return null;
  return (
    <p className="govuk-inset-text" data-testid="awaiting-consent">
      {texts.sync.awaitingConsent(records, instantText(oldestAt))}
    </p>
  );
}

function ProgressSummary(props: { readonly status: SyncStatus }): ReactNode {
  const { status } = props;
  const { area } = useFrame();
  const { complete, records } = status.firstSync;
  const when = (instant: string | null, otherwise: string) => (instant ? instantText(instant) : otherwise);
  return (
    <Summary
      rows={[
        [
          texts.sync.phase,
          <span key="phase" data-testid="sync-phase" data-phase={status.phase}>
            {phaseText(status)}
          </span>,
        ],
        [
          texts.sync.firstSync,
          <span key="first" data-testid="first-sync" data-complete={complete} data-records={records}>
            {complete ? texts.sync.complete : texts.sync.running(records)}
          </span>,
        ],
        [texts.sync.lastSuccess, when(status.lastSuccessAt, texts.sync.never)],
        [
          texts.sync.nextAttempt,
          isHeldByDecision(status)
            ? texts.sync.heldUntil
            : (texts.sync.withoutTime[status.phase] ?? when(status.nextAttemptAt, texts.sync.whenNeeded)),
        ],
        ...(status.photos > 0 ? [[texts.sync.photos, String(status.photos)] as const] : []),
        [texts.sync.oldest, when(status.oldestPendingAt, texts.app.none)],
        [texts.sync.clock.title, clockText(status.clockSkew)],
        [texts.sync.lastError, problemText(status) ?? texts.app.none],
        [texts.sync.user, status.signedInAs ?? texts.app.none],
        [texts.sync.area, area ?? texts.signIn.allAreas],
      ]}
    />
  );
}

function ParkedSection(): ReactNode {
  const parked = useParked();
  const records = parked.state === "ready" ? parked.value : [];
  return (
    <Section title={texts.sync.parkedTitle}>
      {parked.state === "ready" && records.length === 0 && (
        <p className="govuk-body">{texts.sync.parkedEmpty}</p>
      )}
      <ul className="app-list">
        {records.map((record) => (
          <ParkedItem key={record.reference} parked={record} />
        ))}
      </ul>
      <SendAgain parked={records.filter(({ reason }) => reason === "rejected" || reason === "forbidden")} />
    </Section>
  );
}

/** So many are shown: more are sent in one go, or wait for the same. */
const mostShown = 20;

function UnsentSection(): ReactNode {
  const unsent = useUnsent();
  const records = unsent.state === "ready" ? unsent.value.filter(({ state }) => state !== "parked") : [];
  if (records.length === 0) return null;
  const shown = records.slice(0, mostShown);
  return (
    <Section title={texts.sync.unsentTitle}>
      <ul className="app-list">
        {shown.map((each) => (
          <UnsentItem key={each.reference} unsent={each} />
        ))}
      </ul>
      {records.length > shown.length && (
        <p className="govuk-body">{texts.sync.unsentMore(records.length - shown.length)}</p>
      )}
    </Section>
  );
}

function UnsentItem(props: { readonly unsent: UnsentRecord }): ReactNode {
  const { type, reference, state } = props.unsent;
  const loaded = useRecord(type, reference);
  const record = loaded.state === "ready" ? (loaded.value.record as JsonObject) : {};
  const nameOf = useNames(referencesIn([record.beneficiary, record.program]));
  if (loaded.state !== "ready") return null;
  return (
    <Item to={recordRoute(reference)} {...parkedTitle(type, record, nameOf)}>
      <StateTag state={state} />
    </Item>
  );
}

/** What a server refused by mistake, or before a right was given, may be many records. */
function SendAgain(props: { readonly parked: readonly ParkedRecord[] }): ReactNode {
  const client = useFieldClient();
  const { parked } = props;
  const sending = useForm(async () => {
    const faults = [];
    for (const { reference } of parked) {
      const outcome = await client.resolve(reference, { kind: "retry" });
      if (!outcome.ok) faults.push(...problemFaults(outcome.problem, () => ""));
    }
    await client.sync();
    return faults;
  });
  if (parked.length < 2 && !sending.busy && sending.faults.length === 0) return null;
  return (
    <>
      <ErrorSummary faults={sending.faults} />
      <Button look="secondary" busy={sending.busy} onClick={() => sending.submit()}>
        {texts.sync.sendAgain(parked.length)}
      </Button>
    </>
  );
}

function ParkedItem(props: { readonly parked: ParkedRecord }): ReactNode {
  const { parked } = props;
  const nameOf = useNames(referencesIn([parked.ours.beneficiary, parked.ours.program]));
  return (
    <Item
      to={{ screen: "decide", reference: parked.reference }}
      {...parkedTitle(parked.type, parked.ours, nameOf)}
    >
      <Tag colour="orange">{texts.parked.reasons[whyParked(parked)]}</Tag>
    </Item>
  );
}
