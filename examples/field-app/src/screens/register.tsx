import type { FieldError } from "@fieldroll/core";
import { useFieldClient, useSearch } from "@fieldroll/sync/react";
import { type ReactNode, useState } from "react";
import { useFrame } from "../app/context.ts";
import { useDay } from "../app/day.ts";
import { problemFaults, useForm } from "../app/form.ts";
import { useLeaving } from "../app/leaving.ts";
import { type Pictures, usePictures } from "../app/pictures.ts";
import { useRights } from "../app/rights.ts";
import { findSimilar, useSimilarPeople } from "../app/similar.ts";
import type { AddressValues } from "../model/address-form.ts";
import { placed } from "../model/area.ts";
import { registrationField } from "../model/fault-fields.ts";
import type { Similar } from "../model/household.ts";
import {
  emptyRegistration,
  personPrefix,
  type RegisteredPerson,
  type RegistrationValues,
  registrationFaults,
  registrationOf,
  whoIsMeant,
  withoutPerson,
  withPerson,
} from "../model/registration.ts";
import { shortened } from "../model/shortened.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { DayAskedField } from "../ui/day-asked.tsx";
import { type Draft, Drafted, DraftNotice } from "../ui/draft.tsx";
import { controlId, ErrorSummary } from "../ui/faults.tsx";
import { CheckboxField, SelectField, TextField } from "../ui/fields.tsx";
import { LeavingField } from "../ui/leaving.tsx";
import { Page, Section } from "../ui/page.tsx";
import { AddressFields, PersonFields } from "../ui/person-fields.tsx";
import { MayBeRegistered, SimilarList } from "../ui/similar.tsx";
import { roleChoices } from "./member.tsx";

/** Registers a household with its people in one durable step. */
export function RegisterScreen(): ReactNode {
  const { home } = useFrame();
  return (
    <Drafted form="register household" fresh={() => emptyRegistration(home)}>
      {(draft) => <Register draft={draft} />}
    </Drafted>
  );
}

function Register({ draft }: { readonly draft: Draft<RegistrationValues> }): ReactNode {
  const client = useFieldClient();
  const { go, today, newId } = useFrame();
  const { values, set } = draft;
  const [similar, setSimilar] = useState<readonly Similar[]>([]);
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set());
  const leaving = useLeaving();
  const day = useDay();
  const pictures = usePictures();
  const submission = async () => {
    const faults = [...registrationFaults(values, today()), ...pictures.faults];
    if (faults.length > 0) return faults;
    const home = placed("Group", values.address);
    const asked = [...leaving.faults(null, home), ...day.faults()];
    if (asked.length > 0) return asked;
    const alike = similar.length > 0 ? [] : await findSimilar(client, values, today());
    const taken = takenNumbers(alike);
    if (taken.length > 0) return taken;
    const open = alike.filter(({ reference }) => !dismissed.has(reference));
    if (open.length > 0) {
      setSimilar(open);
      return [];
    }
    const outcome = await client.registerHousehold(registrationOf(values, { today: today(), newId }));
    if (!outcome.ok) return problemFaults(outcome.problem, (pointer) => registrationField(pointer, values));
    draft.forget();
    const { reference, record } = outcome.value.group;
    go({ screen: "household", reference }, leaving.said(null, home, texts.register.done(record.name)));
    return [];
  };
  const form = useForm(submission, [], pictures);
  // Who was answered beside the form is not asked about again.
  const unanswered = similar.filter(({ reference }) => !dismissed.has(reference));
  const change = (next: RegistrationValues) => {
    // What was found alike belongs to the names as they were.
    setSimilar([]);
    set(next);
  };
  return (
    <Page title={texts.register.title} faulty={form.faults.length > 0}>
      <ErrorSummary faults={form.faults} about={(field) => whoIsMeant(field, values)} />
      <DraftNotice draft={draft} />
      <form onSubmit={form.submit} noValidate>
        <HouseholdFields values={values} onChange={change} faults={form.faults} />
        <PersonCards
          values={values}
          onChange={change}
          faults={form.faults}
          pictures={pictures}
          dismissed={dismissed}
          onDismiss={(references) => setDismissed(new Set([...dismissed, ...references]))}
        />
        <Button look="secondary" onClick={() => change(withPerson(values))}>
          {texts.register.addPerson}
        </Button>
        <ProgramsField values={values} onChange={set} />
        <LeavingField leaving={leaving} faults={form.faults} />
        <DayAskedField asked={day} faults={form.faults} />
        {unanswered.length > 0 ? (
          <SimilarNotice similar={unanswered} busy={form.busy} />
        ) : (
          <Button busy={form.busy}>{texts.register.submit}</Button>
        )}
      </form>
    </Page>
  );
}

interface PartProps {
  readonly values: RegistrationValues;
  readonly onChange: (values: RegistrationValues) => void;
  readonly faults: readonly FieldError[];
}

function HouseholdFields(props: PartProps): ReactNode {
  const { values, onChange, faults } = props;
  return (
    <Section title={texts.register.household}>
      <TextField
        field="name"
        label={texts.household.name}
        hint={texts.household.nameHint}
        value={values.name}
        onChange={(name) => onChange({ ...values, name })}
        faults={faults}
        input={{ autoCapitalize: "words" }}
      />
      <AddressFields
        values={values.address}
        onChange={(address) => onChange({ ...values, address })}
        faults={faults}
      />
      <p className="govuk-hint">{texts.person.sameAddress}</p>
    </Section>
  );
}

interface Dismissing {
  /** References of records that are known to be others. */
  readonly dismissed: ReadonlySet<string>;
  readonly onDismiss: (references: readonly string[]) => void;
}

function PersonCards(props: PartProps & Dismissing & { readonly pictures: Pictures }): ReactNode {
  const { values, onChange, faults, pictures, dismissed, onDismiss } = props;
  const { people } = values;
  const remove = (person: RegisteredPerson) => {
    // The next person who is added may get the same place.
    pictures.drop(`${personPrefix(person)}photo`);
    onChange(withoutPerson(values, person.id));
  };
  return people.map((person, at) => (
    <PersonCard
      key={person.id}
      position={at + 1}
      person={person}
      address={values.address}
      dismissed={dismissed}
      onDismiss={onDismiss}
      faults={faults}
      pictures={pictures}
      onChange={(changed) =>
        onChange({ ...values, people: people.map((other) => (other.id === person.id ? changed : other)) })
      }
      onRemove={people.length > 1 ? () => remove(person) : null}
    />
  ));
}

function PersonCard(
  props: Dismissing & {
    readonly position: number;
    readonly person: RegisteredPerson;
    readonly address: AddressValues;
    readonly faults: readonly FieldError[];
    readonly pictures: Pictures;
    readonly onChange: (person: RegisteredPerson) => void;
    readonly onRemove: (() => void) | null;
  },
): ReactNode {
  const { position, person, faults, onChange } = props;
  const prefix = personPrefix(person);
  const { today } = useFrame();
  const whole = { ...person.person, address: props.address };
  const similar = useSimilarPeople(whole, today(), props.dismissed);
  return (
    <fieldset className="govuk-fieldset app-card" id={controlId(prefix)} tabIndex={-1}>
      <legend className="govuk-fieldset__legend govuk-fieldset__legend--m">
        {texts.register.person(position)}
      </legend>
      <SelectField
        field={`${prefix}role`}
        label={texts.member.role}
        value={person.role}
        onChange={(role) => onChange({ ...person, role })}
        choices={roleChoices}
        faults={faults}
      />
      <PersonFields
        values={person.person}
        onChange={(values) => onChange({ ...person, person: values })}
        faults={faults}
        pictures={props.pictures}
        prefix={prefix}
        withNumber
      />
      <MayBeRegistered
        similar={similar}
        onDismiss={() => props.onDismiss(similar.map(({ reference }) => reference))}
      />
      {props.onRemove && (
        <Button look="secondary" onClick={props.onRemove}>
          {texts.register.removePerson(position)}
        </Button>
      )}
    </fieldset>
  );
}

function ProgramsField(props: Omit<PartProps, "faults">): ReactNode {
  const { values, onChange } = props;
  const { changesPrograms } = useRights();
  const programs = useSearch("Program", { status: "active", targetType: "group", limit: "100" });
  const offered = programs.state === "ready" ? programs.value.data : [];
  if (offered.length === 0 || !changesPrograms) return null;
  return (
    <CheckboxField
      field="enrollIn"
      label={texts.register.programs}
      hint={texts.register.programsHint}
      values={values.enrollIn}
      onChange={(enrollIn) => onChange({ ...values, enrollIn })}
      choices={offered.map((held) => ({ value: held.reference, text: held.record.name }))}
    />
  );
}

function SimilarNotice(props: { readonly similar: readonly Similar[]; readonly busy: boolean }): ReactNode {
  return (
    <div className="app-card" role="alert">
      <h2 className="govuk-heading-m">{texts.register.similar}</h2>
      <p className="govuk-body">{texts.register.similarIntro}</p>
      <SimilarList similar={props.similar} />
      <Button busy={props.busy}>{texts.register.anyway}</Button>
    </div>
  );
}

/** An identity number belongs to one person: another one's is a fault, not a likeness. */
function takenNumbers(similar: readonly Similar[]): readonly FieldError[] {
  return similar
    .filter(({ taken }) => taken)
    .map(({ person, name }) => ({
      field: `person-${person}-nationalId`,
      code: "duplicate",
      message: texts.person.taken(shortened(name)),
    }));
}
