import { type FieldError, type JsonObject, referenceTo } from "@fieldroll/core";
import type { ParkedRecord, Resolution } from "@fieldroll/sync";
import { useFieldClient, useParked } from "@fieldroll/sync/react";
import { type ReactNode, useState } from "react";
import { useFrame } from "../app/context.ts";
import { problemFaults, useForm } from "../app/form.ts";
import { useNames } from "../app/names.ts";
import { fieldLabel, type NameOf, valueAt, valueText } from "../model/conflict-text.ts";
import { faultSentence } from "../model/fault-fields.ts";
import { clientIn, instantText } from "../model/person-text.ts";
import { differences, recordTitle, referencesIn } from "../model/record-title.ts";
import { type Route, recordRoute } from "../route.ts";
import { texts } from "../texts.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/faults.tsx";
import { RadioField } from "../ui/fields.tsx";
import { GiveUp } from "../ui/give-up.tsx";
import { LoadingPage, Page } from "../ui/page.tsx";
import { Summary } from "../ui/summary.tsx";
import { Written } from "../ui/text.tsx";
import { VersionValues } from "../ui/versions.tsx";

/** A record that waits for a person: what happened, and what can be done. */
export function DecideScreen(props: { readonly reference: string }): ReactNode {
  const parked = useParked();
  if (parked.state === "loading") return <LoadingPage />;
  const record =
    parked.state === "ready" ? parked.value.find((item) => item.reference === props.reference) : undefined;
  if (!record) return <Decided reference={props.reference} />;
  // A new revision asks anew: choices made on an older one do not count.
  return <Decide key={record.revision} parked={record} />;
}

function Decided(props: { readonly reference: string }): ReactNode {
  return (
    <Page title={texts.parked.noLonger} back={{ screen: "sync" }}>
      <LinkButton to={recordRoute(props.reference)}>{texts.parked.edit}</LinkButton>
    </Page>
  );
}

function Decide(props: { readonly parked: ParkedRecord }): ReactNode {
  const { parked } = props;
  const nameOf = useNames(referencesIn([parked.base, parked.ours, parked.theirs]));
  return (
    <Page
      title={texts.parked.titles[parked.reason]}
      caption={recordTitle(parked.type, parked.ours)}
      back={{ screen: "sync" }}
    >
      <p className="govuk-body">{texts.parked.intros[parked.reason]}</p>
      {parked.reason === "conflict" && texts.parked.lists[parked.type] && (
        <p className="govuk-body">{texts.parked.lists[parked.type]}</p>
      )}
      {parked.written && (
        <p className="govuk-body">
          {texts.parked.written(instantText(parked.written.at), clientIn(parked.written.by))}
        </p>
      )}
      {parked.reason === "conflict" ? (
        <Choices kind="choose" parked={parked} nameOf={nameOf} />
      ) : (
        <Refused parked={parked} nameOf={nameOf} />
      )}
      <Discard parked={parked} />
    </Page>
  );
}

/** Runs a resolution; on success leads to the record. */
function useResolve(parked: ParkedRecord): (resolution: Resolution) => Promise<readonly FieldError[]> {
  const client = useFieldClient();
  const { go } = useFrame();
  return async (resolution) => {
    const outcome = await client.resolve(parked.reference, resolution);
    if (!outcome.ok) return problemFaults(outcome.problem, () => "");
    go(nextRoute(parked, resolution), texts.parked.done[resolution.kind]);
    return [];
  };
}

function nextRoute({ type, reference, theirs }: ParkedRecord, { kind }: Resolution): Route {
  if (kind === "adopt" && theirs) return recordRoute(referenceTo(type, theirs));
  return kind === "choose" ? recordRoute(reference) : { screen: "sync" };
}

function Choices(props: {
  readonly kind: "choose" | "adopt";
  readonly parked: ParkedRecord;
  readonly nameOf: NameOf;
}): ReactNode {
  const { kind, parked, nameOf } = props;
  const resolve = useResolve(parked);
  const [choices, setChoices] = useState<Readonly<Record<string, "ours" | "theirs">>>({});
  const form = useForm(async () => {
    const missing = parked.conflicts
      .filter(({ path }) => !choices[path])
      .map(({ path }) => ({
        field: path,
        code: "required",
        message: texts.parked.missingChoice(fieldLabel(path)),
      }));
    if (missing.length > 0) return missing;
    return resolve({ kind, revision: parked.revision, choices });
  });
  return (
    <form onSubmit={form.submit} noValidate>
      <ErrorSummary faults={form.faults} />
      {parked.conflicts.map((conflict) => (
        <section className="app-choice" key={conflict.path} data-path={conflict.path}>
          <h2 className="govuk-heading-m">{fieldLabel(conflict.path)}</h2>
          <VersionValues versions={conflict} nameOf={nameOf} withoutBase={kind === "adopt"} />
          <RadioField
            field={conflict.path}
            label={fieldLabel(conflict.path)}
            legendClass="govuk-visually-hidden"
            value={choices[conflict.path] ?? ""}
            onChange={(side) => setChoices({ ...choices, [conflict.path]: side as "ours" | "theirs" })}
            faults={form.faults}
            choices={[
              { value: "ours", text: texts.parked.chooseOurs },
              { value: "theirs", text: texts.parked.chooseTheirs },
            ]}
          />
        </section>
      ))}
      <Button busy={form.busy}>{kind === "adopt" ? texts.parked.adopt : texts.parked.submit}</Button>
    </form>
  );
}

/** Everything but a conflict: what the server says, and edit, compare or send again. */
function Refused(props: { readonly parked: ParkedRecord; readonly nameOf: NameOf }): ReactNode {
  const { parked, nameOf } = props;
  const resolve = useResolve(parked);
  const form = useForm(() => resolve({ kind: "retry" }));
  return (
    <>
      <ErrorSummary faults={form.faults} />
      <Summary
        rows={[
          [texts.parked.serverSays, parked.detail],
          [texts.parked.since, instantText(parked.since)],
          ...parked.errors.map(
            (error) =>
              [
                fieldLabel(error.field),
                <RefusedField key={error.field} error={error} parked={parked} nameOf={nameOf} />,
              ] as const,
          ),
        ]}
      />
      {parked.theirs && <Compared parked={parked} theirs={parked.theirs} nameOf={nameOf} />}
      {parked.reason === "duplicate" && parked.theirs && !parked.base && (
        <>
          <p className="govuk-body">{texts.parked.adoptIntro}</p>
          {texts.parked.lists[parked.type] && <p className="govuk-body">{texts.parked.lists[parked.type]}</p>}
          <Choices kind="adopt" parked={parked} nameOf={nameOf} />
          <h2 className="govuk-heading-m">{texts.parked.apart}</h2>
        </>
      )}
      <div className="app-actions">
        <LinkButton to={editRoute(parked)}>{texts.parked.edit}</LinkButton>
        {parked.existing && !isItsOwn(parked, parked.existing) && (
          <LinkButton to={recordRoute(parked.existing)} look="secondary">
            {texts.parked.openExisting}
          </LinkButton>
        )}
        <Button look="secondary" busy={form.busy} onClick={() => form.submit()}>
          {texts.parked.retry}
        </Button>
      </div>
    </>
  );
}

/** By an identifier that both have, this device knows the record that waits: the registered one is shown beside it. */
function isItsOwn({ type, ours }: ParkedRecord, existing: string): boolean {
  const { identifier = [] } = ours;
  return (
    Array.isArray(identifier) &&
    identifier.some((one) => referenceTo(type, { identifier: [one] }) === existing)
  );
}

/** The two records of a parked one, field by field where they differ. */
function Compared(props: {
  readonly parked: ParkedRecord;
  readonly theirs: JsonObject;
  readonly nameOf: NameOf;
}): ReactNode {
  const { parked, theirs, nameOf } = props;
  return differences(parked.type, parked.ours, theirs).map((versions) => (
    <section className="app-choice" key={versions.path}>
      <h2 className="govuk-heading-s">{fieldLabel(versions.path)}</h2>
      <VersionValues versions={versions} nameOf={nameOf} withoutBase />
    </section>
  ));
}

function RefusedField(props: {
  readonly error: FieldError;
  readonly parked: ParkedRecord;
  readonly nameOf: NameOf;
}): ReactNode {
  const { error, parked, nameOf } = props;
  const value = valueText(error.field, valueAt(parked.ours, error.field), nameOf);
  return (
    <>
      <Written>{value}</Written>
      <span className="govuk-error-message">{faultSentence(error, "")}</span>
    </>
  );
}

/** Where the fields of a record are edited. */
function editRoute(parked: ParkedRecord): Route {
  const { reference } = parked;
  if (parked.type === "Individual") return { screen: "edit-person", reference };
  return parked.type === "Group" ? { screen: "edit-household", reference } : recordRoute(reference);
}

/** Giving up one's changes. */
function Discard(props: { readonly parked: ParkedRecord }): ReactNode {
  const { reference } = props.parked;
  const { go } = useFrame();
  const { discard, discardSure, discardYes } = texts.parked;
  const done = () => go({ screen: "sync" }, texts.parked.done.discard);
  return <GiveUp label={discard} sure={discardSure} yes={discardYes} reference={reference} done={done} />;
}
