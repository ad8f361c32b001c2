import type { FieldError, Individual } from "@fieldroll/core";
import { useFieldClient } from "@fieldroll/sync/react";
import type { ReactNode } from "react";
import { useFrame } from "../app/context.ts";
import { useDay } from "../app/day.ts";
import { useForm } from "../app/form.ts";
import { useLeaving } from "../app/leaving.ts";
import { type Opened, useOpened } from "../app/opened.ts";
import { usePictures } from "../app/pictures.ts";
import { useSave } from "../app/save.ts";
import { formFaults, personField } from "../model/fault-fields.ts";
import {
  asksForNumber,
  changedPerson,
  type PersonValues,
  personFaults,
  personValues,
} from "../model/person-form.ts";
import { nameText } from "../model/person-text.ts";
import { shortened } from "../model/shortened.ts";
import { texts } from "../texts.ts";
import { DayAskedField } from "../ui/day-asked.tsx";
import { type Draft, Drafted } from "../ui/draft.tsx";
import { EditForm } from "../ui/edit-form.tsx";
import { LeavingField } from "../ui/leaving.tsx";
import { LoadingPage, MissingPage, Page } from "../ui/page.tsx";
import { PersonFields } from "../ui/person-fields.tsx";

/** Edits a person on top of what the screen showed when it opened. */
export function EditPersonScreen(props: { readonly reference: string }): ReactNode {
  const opening = useOpened("Individual", props.reference);
  if (opening.state === "ready") return <EditedPerson {...opening.opened} />;
  if (opening.state === "failed")
    return <MissingPage reference={props.reference} kind={opening.problem.kind} />;
  return <LoadingPage />;
}

function numberTaken({ name }: Individual): FieldError {
  const message = texts.person.taken(shortened(nameText(name)));
  return { field: "nationalId", code: "duplicate", message };
}

interface EditedValues {
  /** The person as the form was filled from it. */
  readonly seen: Individual;
  readonly person: PersonValues;
}

function EditedPerson(opened: Opened<Individual>): ReactNode {
  const { record, reference } = opened.held;
  const fresh = (): EditedValues => ({ seen: record, person: personValues(record) });
  return (
    <Drafted form={`edit ${reference}`} fresh={fresh}>
      {(draft) => <EditPerson {...opened} draft={draft} />}
    </Drafted>
  );
}

function EditPerson(props: Opened<Individual> & { readonly draft: Draft<EditedValues> }): ReactNode {
  const { refused, draft } = props;
  const { seen, person: values } = draft.values;
  const opened = { ...props.held, record: seen };
  const { reference } = opened;
  const client = useFieldClient();
  const { go, today } = useFrame();
  const fieldOf = (pointer: string) => personField(pointer, values.birthKind);
  const saving = useSave(client.individuals, opened, fieldOf, numberTaken);
  const leaving = useLeaving();
  const day = useDay();
  const pictures = usePictures();
  const form = useForm(
    async () => {
      const faults = [...personFaults(values, today()), ...pictures.faults];
      if (faults.length > 0) return faults;
      const next = changedPerson(saving.seen, values, today());
      // Of the dates of a person, only that of an age comes from the day.
      const isReckoned = values.birthKind === "estimated" && next.birthDate !== saving.seen.birthDate;
      const asked = [...leaving.faults(saving.seen, next), ...(isReckoned ? day.faults() : [])];
      if (asked.length > 0) return asked;
      const result = await saving.save(next);
      if (!result.saved) return result.faults;
      draft.forget();
      go({ screen: "person", reference }, leaving.said(saving.seen, next));
      return [];
    },
    formFaults(refused, fieldOf),
    pictures,
  );
  return (
    <Page
      title={texts.person.editTitle}
      caption={nameText(opened.record.name)}
      back={{ screen: "person", reference }}
      faulty={form.faults.length > 0}
    >
      <EditForm
        form={form}
        changes={saving.changes}
        draft={draft}
        save={texts.app.save}
        cancel={{ screen: "person", reference }}
      >
        <PersonFields
          values={values}
          onChange={(person) => draft.set({ seen, person })}
          faults={form.faults}
          pictures={pictures}
          withNumber={asksForNumber(seen)}
          withAddress
        />
        <LeavingField leaving={leaving} faults={form.faults} />
        <DayAskedField asked={day} faults={form.faults} />
      </EditForm>
    </Page>
  );
}
