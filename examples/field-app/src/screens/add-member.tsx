import { type FieldError, type Group, type GroupMember, type Outcome, success } from "@fieldroll/core";
import type { FieldClient, Held } from "@fieldroll/sync";
import { useFieldClient, useRecord } from "@fieldroll/sync/react";
import { type ReactNode, useState } from "react";
import { useFrame } from "../app/context.ts";
import { useDay } from "../app/day.ts";
import { problemFaults, useForm } from "../app/form.ts";
import { useFound } from "../app/found.ts";
import { useHouseholdNames } from "../app/households.ts";
import { useLeaving } from "../app/leaving.ts";
import { type Pictures, usePictures } from "../app/pictures.ts";
import { useSimilarPeople } from "../app/similar.ts";
import { useUnfinished } from "../app/unfinished.ts";
import { useOnce } from "../app/use-once.ts";
import { addressValues } from "../model/address-form.ts";
import { type Placed, placed } from "../model/area.ts";
import { candidateText } from "../model/candidate-text.ts";
import { personField } from "../model/fault-fields.ts";
import { hasHead, roleConcept, withMember } from "../model/household.ts";
import { type KnownMember, knownMembers } from "../model/known-members.ts";
import {
  emptyPerson,
  type Making,
  newPerson,
  type PersonValues,
  personFaults,
} from "../model/person-form.ts";
import { homeAddress, nameText } from "../model/person-text.ts";
import { shortened } from "../model/shortened.ts";
import { hrefOf } from "../route.ts";
import { texts } from "../texts.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { DayAskedField } from "../ui/day-asked.tsx";
import { type Draft, Drafted, DraftNotice } from "../ui/draft.tsx";
import { ErrorSummary } from "../ui/faults.tsx";
import { RadioField, SelectField, TextField } from "../ui/fields.tsx";
import { LeavingField } from "../ui/leaving.tsx";
import { LoadingPage, MissingPage, Page } from "../ui/page.tsx";
import { PersonFields } from "../ui/person-fields.tsx";
import { MayBeRegistered } from "../ui/similar.tsx";
import { Written } from "../ui/text.tsx";
import { roleChoices } from "./member.tsx";

/** Adds a person to a household: one who is registered already, or a new one. */
export function AddMemberScreen(props: { readonly reference: string }): ReactNode {
  const loaded = useRecord("Group", props.reference);
  const opened = useOnce(loaded.state === "ready" ? loaded.value : undefined);
  const now = loaded.state === "ready" ? loaded.value.record : opened?.record;
  if (opened && now) return <AddedMember opened={opened} now={now} />;
  if (loaded.state === "failed")
    return <MissingPage reference={props.reference} kind={loaded.problem.kind} />;
  return <LoadingPage />;
}

interface MemberValues {
  readonly which: string;
  /** What was looked for. */
  readonly term: string;
  /** The reference of somebody who is registered. */
  readonly picked: string;
  readonly role: string;
  readonly person: PersonValues;
}

interface AddProps {
  readonly opened: Held<Group>;
  /** The household as it is now: another may have become its head since the form was opened. */
  readonly now: Group;
}

function AddedMember(props: AddProps): ReactNode {
  const { reference, record } = props.opened;
  const fresh = (): MemberValues => ({
    ...{ which: "existing", term: "", picked: "", role: "" },
    person: { ...emptyPerson, address: addressValues(homeAddress(record.address)) },
  });
  return (
    <Drafted form={`add to ${reference}`} fresh={fresh}>
      {(draft) => <AddMember {...props} draft={draft} />}
    </Drafted>
  );
}

function AddMember(props: AddProps & { readonly draft: Draft<MemberValues> }): ReactNode {
  const { now, draft } = props;
  const { reference, record: seen } = props.opened;
  const { which, picked, role, person: values } = draft.values;
  const set = (change: Partial<MemberValues>) => draft.set({ ...draft.values, ...change });
  const client = useFieldClient();
  const { go, today, newId } = useFrame();
  const isNew = which === "new";
  const leaving = useLeaving();
  const day = useDay();
  const pictures = usePictures();
  const submission = async () => {
    const wrong = memberFaults(draft.values, now, { today: today(), pictures });
    const asked = () => [...leaving.faults(null, newcomer(draft.values)), ...day.faults()];
    const faults = wrong.length > 0 ? wrong : asked();
    if (faults.length > 0) return faults;
    const person = isNew ? await create(client, values, { today: today(), newId }) : success(picked);
    if (!person.ok) return problemFaults(person.problem, (pointer) => personField(pointer, values.birthKind));
    const member = memberOf(person.value, role, today());
    // From here on the person is registered, and would be another time.
    if (isNew) draft.forget();
    const added = await client.groups.update(reference, (group) => withMember(group, member));
    if (!added.ok) return isNew ? orphaned(values) : problemFaults(added.problem, () => "");
    draft.forget();
    go({ screen: "household", reference }, texts.app.success);
    return [];
  };
  const form = useForm(submission, [], pictures);
  return (
    <Page
      title={texts.member.addTitle}
      caption={seen.name}
      back={{ screen: "household", reference }}
      faulty={form.faults.length > 0}
    >
      <ErrorSummary faults={form.faults} />
      <DraftNotice draft={draft} />
      <form onSubmit={form.submit} noValidate>
        <Which which={which} onChange={set} />
        {isNew ? (
          <NewPerson
            values={values}
            onChange={(person) => set({ person })}
            faults={form.faults}
            pictures={pictures}
          />
        ) : (
          <Picker
            group={seen}
            reference={reference}
            values={draft.values}
            onChange={set}
            faults={form.faults}
          />
        )}
        <SelectField
          field="role"
          label={texts.member.role}
          value={role}
          onChange={(chosen) => set({ role: chosen })}
          choices={roleChoices}
          faults={form.faults}
        />
        {isNew && <LeavingField leaving={leaving} faults={form.faults} />}
        <DayAskedField asked={day} faults={form.faults} />
        <div className="app-actions">
          <Button busy={form.busy}>{texts.member.add}</Button>
          <LinkButton to={{ screen: "household", reference }} look="secondary" onFollow={draft.forget}>
            {texts.app.cancel}
          </LinkButton>
        </div>
      </form>
    </Page>
  );
}

function Which(props: {
  readonly which: string;
  readonly onChange: (change: Partial<MemberValues>) => void;
}): ReactNode {
  return (
    <RadioField
      field="which"
      label={texts.member.which}
      value={props.which}
      onChange={(which) => props.onChange({ which })}
      choices={[
        { value: "existing", text: texts.member.existing },
        { value: "new", text: texts.member.newPerson },
      ]}
    />
  );
}

/** The fields of a new person, with who it may be that is registered already. */
function NewPerson(props: {
  readonly values: PersonValues;
  readonly onChange: (values: PersonValues) => void;
  readonly faults: readonly FieldError[];
  readonly pictures: Pictures;
}): ReactNode {
  const { today } = useFrame();
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set());
  const similar = useSimilarPeople(props.values, today(), dismissed);
  const dismiss = () => setDismissed(new Set([...dismissed, ...similar.map(({ reference }) => reference)]));
  return (
    <>
      <PersonFields {...props} withNumber withAddress />
      <MayBeRegistered similar={similar} onDismiss={dismiss} />
    </>
  );
}

function memberOf(reference: string, role: string, today: string): GroupMember {
  return { entity: { reference }, role: roleConcept(role, texts.roles), period: { start: today } };
}

/** Who is registered with the membership, if anybody. */
function newcomer({ which, person }: MemberValues): Placed | null {
  return which === "new" ? placed("Individual", person.address) : null;
}

/** What is wrong with the form, before anything is asked. */
function memberFaults(
  values: MemberValues,
  group: Group,
  { today, pictures }: { readonly today: string; readonly pictures: Pictures },
): readonly FieldError[] {
  const { which, person, picked, role } = values;
  const isMissing = which !== "new" && !picked;
  return [
    ...(which === "new" ? [...personFaults(person, today), ...pictures.faults] : []),
    ...(isMissing ? [{ field: "pick", code: "required", message: texts.member.missingPick }] : []),
    ...roleFaults(group, role, today),
  ];
}

function roleFaults(group: Group, role: string, today: string): readonly FieldError[] {
  if (!role) return [{ field: "role", code: "required", message: texts.member.missingRole }];
  if (role !== "head" || !hasHead(group, today)) return [];
  return [{ field: "role", code: "head", message: texts.register.twoHeads }];
}

async function create(client: FieldClient, values: PersonValues, making: Making): Promise<Outcome<string>> {
  const created = await client.individuals.create(newPerson(values, making));
  return created.ok ? { ok: true, value: created.value.reference } : created;
}

function orphaned(values: PersonValues): readonly FieldError[] {
  const name = nameText({ given: values.given, family: values.family });
  return [{ field: "", code: "orphan", message: texts.member.orphan(shortened(name)) }];
}

/** Finds a person and lets one be chosen; members of the household are not offered again. */
function Picker(props: {
  readonly group: Group;
  /** The household's. */
  readonly reference: string;
  readonly values: MemberValues;
  readonly onChange: (change: Partial<MemberValues>) => void;
  readonly faults: readonly FieldError[];
}): ReactNode {
  const { today, area } = useFrame();
  const { term, picked } = props.values;
  return (
    <>
      <TextField
        field="pick"
        label={texts.member.search}
        value={term}
        onChange={(typed) => props.onChange({ term: typed })}
        faults={props.faults}
        input={{ type: "search" }}
      />
      {term.trim().length > 1 && (
        <Candidates
          term={term.trim()}
          household={props.group}
          reference={props.reference}
          today={today()}
          area={area}
          picked={picked}
          onPick={(chosen) => props.onChange({ picked: chosen })}
        />
      )}
    </>
  );
}

/** How many are offered before more are asked for. */
const firstOffered = 10;

function Candidates(props: {
  readonly term: string;
  readonly household: Group;
  /** The household's. */
  readonly reference: string;
  readonly today: string;
  /** The area that this device follows. */
  readonly area: string | null;
  readonly picked: string;
  readonly onPick: (reference: string) => void;
}): ReactNode {
  const { term } = props;
  const [asked, setAsked] = useState({ term, limit: firstOffered });
  const limit = asked.term === term ? asked.limit : firstOffered;
  const people = useFound("Individual", term, limit);
  const unfinished = useUnfinished();
  const found = people.found.map(({ reference, record }) => ({ reference, name: nameText(record.name) }));
  const known = knownMembers(props.household, found, props.today);
  const offered = people.found.filter(({ reference }) => !known.some((one) => one.reference === reference));
  const householdsOf = useHouseholdNames(
    offered.map((held) => held.reference),
    props.today,
  );
  if (people.state === "loading") return <p className="govuk-body">{texts.app.loading}</p>;
  if (offered.length + known.length === 0 && !people.more) {
    if (unfinished) return <p className="govuk-body">{texts.find.notAll.people}</p>;
    return (
      <>
        <p className="govuk-body">{texts.find.noPeople(props.area)}</p>
        <p className="govuk-hint">{texts.find.consented}</p>
      </>
    );
  }
  return (
    <>
      {offered.length > 0 && (
        <RadioField
          field="candidate"
          label={texts.member.pick}
          value={props.picked}
          onChange={props.onPick}
          choices={offered.map((held) => ({
            value: held.reference,
            text: nameText(held.record.name),
            hint: candidateText(held.record, props.today, householdsOf(held.reference)),
            written: true,
          }))}
        />
      )}
      <KnownMembers known={known} household={props.reference} />
      {people.more && (
        <Button look="secondary" onClick={() => setAsked({ term, limit: limit + 20 })}>
          {texts.find.more}
        </Button>
      )}
    </>
  );
}

/** Who was found and is in the household already, each with the way to their place in it. */
function KnownMembers(props: {
  readonly known: readonly KnownMember[];
  /** The household's reference. */
  readonly household: string;
}): ReactNode {
  const { known, household } = props;
  if (known.length === 0) return null;
  return (
    <ul className="govuk-list">
      {known.map(({ reference, text }) => (
        <li key={reference}>
          <Written>{text}</Written>{" "}
          <a
            className="govuk-link app-target"
            href={hrefOf({ screen: "member", reference: household, member: reference })}
          >
            {texts.member.changePlace}
          </a>
        </li>
      ))}
    </ul>
  );
}
