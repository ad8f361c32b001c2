import { type FieldError, type ResourceType, referenceTo } from "@fieldroll/core";
import type { ParkedRecord } from "@fieldroll/sync";
import { useExplanation, useFieldClient, useParked, useRecord } from "@fieldroll/sync/react";
import type { ReactNode } from "react";
import { useFrame } from "../app/context.ts";
import { useForm } from "../app/form.ts";
import { useNames } from "../app/names.ts";
import { useResolve } from "../app/resolve.ts";
import { comparedOf } from "../model/compared.ts";
import { fieldLabel, type NameOf, valueAt, valueText } from "../model/conflict-text.ts";
import { enrollmentField, faultSentence } from "../model/fault-fields.ts";
import { clientIn, instantText } from "../model/person-text.ts";
import { plainWords, referencesInText } from "../model/plain-words.ts";
import type { Versions } from "../model/questions.ts";
import { parkedTitle, referencesIn } from "../model/record-title.ts";
import { adoptText, type Helps, helpsApart } from "../model/refused.ts";
import { whyParked } from "../model/why-text.ts";
import { hrefOf, type Route, recordRoute } from "../route.ts";
import { texts } from "../texts.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { Edited } from "../ui/edited.tsx";
import { ErrorSummary } from "../ui/faults.tsx";
import { GiveUp } from "../ui/give-up.tsx";
import { LoadingPage, Page } from "../ui/page.tsx";
import { Summary } from "../ui/summary.tsx";
import { Written } from "../ui/text.tsx";
import { VersionValues } from "../ui/versions.tsx";
import { Archived } from "./archived.tsx";
import { Choices } from "./choices.tsx";

/** A record that waits for a person: what happened, and what can be done. */
export function DecideScreen(props: { readonly reference: string }): ReactNode {
  const parked = useParked();
  if (parked.state === "loading") return <LoadingPage />;
  const record =
    parked.state === "ready" ? parked.value.find((item) => item.reference === props.reference) : undefined;
  if (!record) return <Decided reference={props.reference} />;
  return <Decide key={record.reason} parked={record} />;
}

function Decided(props: { readonly reference: string }): ReactNode {
  const { givenUp } = useFrame();
  return (
    <Page title={texts.parked.noLonger} back={{ screen: "sync" }}>
      {givenUp.has(props.reference) ? (
        <p className="govuk-body">{texts.parked.done.discard}.</p>
      ) : (
        <LinkButton to={recordRoute(props.reference)}>{texts.parked.edit}</LinkButton>
      )}
    </Page>
  );
}

function Decide(props: { readonly parked: ParkedRecord }): ReactNode {
  const { parked } = props;
  const nameOf = useNames(referencesIn([parked.base, parked.ours, parked.theirs]));
  const { title, text } = parkedTitle(parked.type, parked.ours, nameOf);
  const why = whyParked(parked);
  const said = why === "duplicate" ? texts.parked.writtenOther : texts.parked.written;
  return (
    <Page
      title={texts.parked.titles[why]}
      caption={parked.type === "ProgramMembership" && text ? `${title}, ${text}` : title}
      back={{ screen: "sync" }}
    >
      <OtherHouseholds parked={parked} title={title} />
      <p className="govuk-body">{texts.parked.intros[why]}</p>
      {parked.reason === "conflict" && texts.parked.lists[parked.type] && (
        <p className="govuk-body">{texts.parked.lists[parked.type]}</p>
      )}
      {parked.written && (
        <p className="govuk-body">{said(instantText(parked.written.at), clientIn(parked.written.by))}</p>
      )}
      {parked.reason === "conflict" ? (
        <Choices kind="choose" parked={parked} nameOf={nameOf} />
      ) : parked.isArchived ? (
        <Archived parked={parked} nameOf={nameOf} />
      ) : (
        <Refused parked={parked} nameOf={nameOf} />
      )}
      {/* Giving up is asked anew of a new revision. */}
      <Discard key={parked.revision} parked={parked} />
    </Page>
  );
}

/** Who of a household is in another one on the server, and the way to either. */
function OtherHouseholds(props: { readonly parked: ParkedRecord; readonly title: string }): ReactNode {
  const { parked, title } = props;
  const { households = [] } = parked;
  const nameOf = useNames(households.flatMap((each) => [each.person.reference, each.household.reference]));
  return households.map(({ person, household }) => {
    const name = nameOf(person.reference) ?? person.display ?? person.reference;
    const there = nameOf(household.reference) ?? household.display ?? household.reference;
    return (
      <section className="govuk-inset-text" key={`${person.reference} ${household.reference}`}>
        <p className="govuk-body">{texts.households.other(name, title, there)}</p>
        <p className="govuk-body">{texts.households.decide(there)}</p>
        <a className="govuk-link app-target" href={hrefOf(recordRoute(household.reference))}>
          <Written>{there}</Written>
        </a>
      </section>
    );
  });
}

const helpsAnyway: Helps = { edit: true, retry: true };

/** Everything but a conflict: what the server says, and edit, compare or send again. */
function Refused(props: { readonly parked: ParkedRecord; readonly nameOf: NameOf }): ReactNode {
  const { parked, nameOf } = props;
  const resolve = useResolve(parked);
  const form = useForm(() => resolve({ kind: "retry", revision: parked.revision }));
  const said = useNames(
    referencesInText([parked.detail, ...parked.errors.map((each) => each.message)].join(" ")),
  );
  const nameIn = (reference: string) => otherName(parked, reference, nameOf) ?? said(reference);
  const compared = comparedOf(parked);
  const isAdoptable = parked.reason === "duplicate" && parked.theirs !== null && parked.base === null;
  const helps = isAdoptable ? helpsApart(parked) : helpsAnyway;
  return (
    <>
      <ErrorSummary faults={form.faults} />
      <Summary
        rows={[
          // What is said of fields stands beside them.
          ...(parked.errors.length > 0
            ? []
            : [[texts.parked.serverSays, plainWords(parked.detail, nameIn)] as const]),
          [texts.parked.since, instantText(parked.since)],
          ...parked.errors.map(
            (error) =>
              [
                fieldLabel(error.field),
                <RefusedField key={error.field} error={error} parked={parked} nameOf={nameIn} />,
              ] as const,
          ),
        ]}
      />
      {compared && (
        <Places places={compared.places} nameOf={nameOf} isOther={parked.reason === "duplicate"} />
      )}
      {compared && !compared.differs && <p className="govuk-body">{texts.parked.same}</p>}
      {isAdoptable && <Adopt parked={parked} differs={compared?.differs === true} nameOf={nameOf} />}
      {isAdoptable && helps && <h2 className="govuk-heading-m">{texts.parked.apart}</h2>}
      {helps?.first && <p className="govuk-body">{helps.first}</p>}
      <div className="app-actions">
        {helps?.edit && (
          <LinkButton to={editRoute(parked)} look={isAdoptable ? "secondary" : "primary"}>
            {texts.parked.edit}
          </LinkButton>
        )}
        {parked.existing && !isItsOwn(parked, parked.existing) && (
          <OpenExisting type={parked.type} existing={parked.existing} />
        )}
        {helps?.retry && (
          <Button look="secondary" busy={form.busy} onClick={() => form.submit()}>
            {texts.parked.retry}
          </Button>
        )}
      </div>
    </>
  );
}

/** Bringing a duplicate together with the registered record. */
function Adopt(props: {
  readonly parked: ParkedRecord;
  readonly differs: boolean;
  readonly nameOf: NameOf;
}): ReactNode {
  const { parked, differs, nameOf } = props;
  const lists = differs ? texts.parked.lists[parked.type] : undefined;
  return (
    <>
      <p className="govuk-body">{adoptText({ differs, asks: parked.conflicts.length > 0 })}</p>
      {lists && <p className="govuk-body">{lists}</p>}
      <Choices kind="adopt" parked={parked} nameOf={nameOf} />
    </>
  );
}

/** The way to the registered record, as far as this device has it: one of the same pair waits beside what waits here, until that goes. */
function OpenExisting(props: { readonly type: ResourceType; readonly existing: string }): ReactNode {
  const loaded = useRecord(props.type, props.existing);
  if (loaded.state !== "ready") return null;
  return (
    <LinkButton to={recordRoute(props.existing)} look="secondary">
      {texts.parked.openExisting}
    </LinkButton>
  );
}

/** What the registered record is called that a sentence refers to. */
function otherName(
  { type, existing, theirs }: ParkedRecord,
  reference: string,
  nameOf: NameOf,
): string | undefined {
  if (theirs === null || reference !== existing) return undefined;
  const { title, text } = parkedTitle(type, theirs, nameOf);
  return type === "ProgramMembership" && text ? `${title}, ${text}` : title;
}

/** By an identifier that both have, this device knows the record that waits: the registered one is shown beside it. */
function isItsOwn({ type, ours }: ParkedRecord, existing: string): boolean {
  const { identifier = [] } = ours;
  return (
    Array.isArray(identifier) &&
    identifier.some((one) => referenceTo(type, { identifier: [one] }) === existing)
  );
}

/** A record and the other one, or the other version, field by field. */
function Places(props: {
  readonly places: readonly Versions[];
  readonly nameOf: NameOf;
  readonly isOther: boolean;
}): ReactNode {
  const { places, nameOf } = props;
  const { other, theirs } = texts.parked;
  return places.map((versions) => (
    <section className="app-choice" key={versions.path}>
      <h2 className="govuk-heading-s">{fieldLabel(versions.path)}</h2>
      <VersionValues
        versions={versions}
        nameOf={nameOf}
        withoutBase
        theirs={props.isOther ? other : theirs}
      />
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
      <span className="govuk-error-message">{plainWords(faultSentence(error, ""), nameOf)}</span>
    </>
  );
}

/** Where the fields of a record are edited: of an enrollment its days where one of them was refused, and else its status. */
function editRoute(parked: ParkedRecord): Route {
  const { reference, errors } = parked;
  if (errors.some(({ field }) => enrollmentField(field) !== ""))
    return { screen: "edit-enrollment", reference };
  if (parked.type === "Individual") return { screen: "edit-person", reference };
  return parked.type === "Group" ? { screen: "edit-household", reference } : recordRoute(reference);
}

/** Giving up one's changes. */
function Discard(props: { readonly parked: ParkedRecord }): ReactNode {
  const { reference, revision, base } = props.parked;
  const { go, givenUp } = useFrame();
  const client = useFieldClient();
  const { discard, discardSure, discardYes } = texts.parked;
  const done = () => {
    if (base === null) givenUp.add(reference);
    go({ screen: "sync" }, texts.parked.done.discard);
  };
  const explained = useExplanation(reference);
  const what = explained.state === "ready" && <Edited of={explained.value} />;
  const asked = { label: discard, sure: discardSure, yes: discardYes, what };
  // What is not shown is not given up.
  const act = () => client.resolve(reference, { kind: "discard", revision });
  return <GiveUp {...asked} act={act} done={done} />;
}
