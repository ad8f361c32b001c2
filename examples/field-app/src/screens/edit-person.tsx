import type { Individual } from "@fieldroll/core";
import { useFieldClient } from "@fieldroll/sync/react";
import type { ReactNode } from "react";
import { useFrame } from "../app/context.ts";
import { useForm } from "../app/form.ts";
import { type Opened, useOpened } from "../app/opened.ts";
import { useSave } from "../app/save.ts";
import { formFaults, personField } from "../model/fault-fields.ts";
import { changedPerson, type PersonValues, personFaults, personValues } from "../model/person-form.ts";
import { nameText } from "../model/person-text.ts";
import { texts } from "../texts.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { type Draft, Drafted, DraftNotice } from "../ui/draft.tsx";
import { ErrorSummary } from "../ui/faults.tsx";
import { LoadingPage, MissingPage, Page } from "../ui/page.tsx";
import { PersonFields } from "../ui/person-fields.tsx";
import { ChangedMeanwhile } from "../ui/versions.tsx";

/** Edits a person on top of what the screen showed when it opened. */
export function EditPersonScreen(props: { readonly reference: string }): ReactNode {
  const opening = useOpened("Individual", props.reference);
  if (opening.state === "ready") return <EditedPerson {...opening.opened} />;
  if (opening.state === "failed") return <MissingPage kind={opening.problem.kind} />;
  return <LoadingPage />;
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
  const numbered = personValues(seen).nationalId !== "";
  const client = useFieldClient();
  const { go, today } = useFrame();
  const fieldOf = (pointer: string) => personField(pointer, values.birthKind);
  const saving = useSave(client.individuals, opened, fieldOf);
  const form = useForm(
    async () => {
      const faults = personFaults(values, today());
      if (faults.length > 0) return faults;
      const result = await saving.save(changedPerson(saving.seen, values, today()));
      if (!result.saved) return result.faults;
      draft.forget();
      go({ screen: "person", reference }, texts.app.success);
      return [];
    },
    formFaults(refused, fieldOf),
  );
  return (
    <Page
      title={texts.person.editTitle}
      caption={nameText(opened.record.name)}
      back={{ screen: "person", reference }}
      faulty={form.faults.length > 0}
    >
      <ErrorSummary faults={form.faults} />
      <DraftNotice draft={draft} />
      <ChangedMeanwhile changes={saving.changes} />
      <form onSubmit={form.submit} noValidate>
        <PersonFields
          values={values}
          onChange={(person) => draft.set({ seen, person })}
          faults={form.faults}
          withNumber={numbered}
          withAddress
        />
        <div className="app-actions">
          <Button busy={form.busy}>
            {saving.changes.length > 0 ? texts.changedMeanwhile.again : texts.app.save}
          </Button>
          <LinkButton to={{ screen: "person", reference }} look="secondary" onFollow={draft.forget}>
            {texts.app.cancel}
          </LinkButton>
        </div>
      </form>
    </Page>
  );
}
