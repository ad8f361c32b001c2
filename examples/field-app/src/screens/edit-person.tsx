import type { Individual } from "@fieldroll/core";
import type { Held } from "@fieldroll/sync";
import { useFieldClient, useRecord } from "@fieldroll/sync/react";
import { type ReactNode, useState } from "react";
import { useFrame } from "../app/context.ts";
import { personField, useForm } from "../app/form.ts";
import { useSave } from "../app/save.ts";
import { useOnce } from "../app/use-once.ts";
import { changedPerson, personFaults, personValues } from "../model/person-form.ts";
import { nameText } from "../model/person-text.ts";
import { texts } from "../texts.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/faults.tsx";
import { LoadingPage, MissingPage, Page } from "../ui/page.tsx";
import { PersonFields } from "../ui/person-fields.tsx";
import { ChangedMeanwhile } from "../ui/versions.tsx";

/** Edits a person on top of what the screen showed when it opened. */
export function EditPersonScreen(props: { readonly reference: string }): ReactNode {
  const loaded = useRecord("Individual", props.reference);
  const opened = useOnce(loaded.state === "ready" ? loaded.value : undefined);
  if (opened) return <EditPerson opened={opened} />;
  if (loaded.state === "failed") return <MissingPage detail={loaded.problem.detail} />;
  return <LoadingPage />;
}

function EditPerson(props: { readonly opened: Held<Individual> }): ReactNode {
  const { opened } = props;
  const { reference } = opened;
  const client = useFieldClient();
  const { go, today } = useFrame();
  const saving = useSave(client.individuals, opened, personField);
  const [values, setValues] = useState(() => personValues(opened.record));
  const form = useForm(async () => {
    const faults = personFaults(values, today());
    if (faults.length > 0) return faults;
    const result = await saving.save(changedPerson(saving.seen, values, today()));
    if (result.saved) go({ screen: "person", reference }, texts.app.success);
    return result.faults;
  });
  return (
    <Page
      title={texts.person.editTitle}
      caption={nameText(opened.record.name)}
      back={{ screen: "person", reference }}
      faulty={form.faults.length > 0}
    >
      <ErrorSummary faults={form.faults} />
      <ChangedMeanwhile changes={saving.changes} />
      <form onSubmit={form.submit} noValidate>
        <PersonFields values={values} onChange={setValues} faults={form.faults} withAddress />
        <div className="app-actions">
          <Button busy={form.busy}>
            {saving.changes.length > 0 ? texts.changedMeanwhile.again : texts.app.save}
          </Button>
          <LinkButton to={{ screen: "person", reference }} look="secondary">
            {texts.app.cancel}
          </LinkButton>
        </div>
      </form>
    </Page>
  );
}
