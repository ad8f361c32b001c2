import type { Group } from "@fieldroll/core";
import { useFieldClient } from "@fieldroll/sync/react";
import type { ReactNode } from "react";
import { useFrame } from "../app/context.ts";
import { useForm } from "../app/form.ts";
import { useLeaving } from "../app/leaving.ts";
import { type Opened, useOpened } from "../app/opened.ts";
import { useSave } from "../app/save.ts";
import { type AddressValues, addressValues, withHomeAddress } from "../model/address-form.ts";
import { formFaults, householdField } from "../model/fault-fields.ts";
import { homeAddress } from "../model/person-text.ts";
import { householdFaults } from "../model/registration.ts";
import { texts } from "../texts.ts";
import { type Draft, Drafted } from "../ui/draft.tsx";
import { EditForm } from "../ui/edit-form.tsx";
import { TextField } from "../ui/fields.tsx";
import { LeavingField } from "../ui/leaving.tsx";
import { LoadingPage, MissingPage, Page } from "../ui/page.tsx";
import { AddressFields } from "../ui/person-fields.tsx";

/** Edits a household's name and address. */
export function EditHouseholdScreen(props: { readonly reference: string }): ReactNode {
  const opening = useOpened("Group", props.reference);
  if (opening.state === "ready") return <EditedHousehold {...opening.opened} />;
  if (opening.state === "failed")
    return <MissingPage reference={props.reference} kind={opening.problem.kind} />;
  return <LoadingPage />;
}

interface EditedValues {
  /** The household as the form was filled from it. */
  readonly seen: Group;
  readonly name: string;
  readonly address: AddressValues;
}

function EditedHousehold(opened: Opened<Group>): ReactNode {
  const { record, reference } = opened.held;
  const fresh = (): EditedValues => ({
    seen: record,
    name: record.name,
    address: addressValues(homeAddress(record.address)),
  });
  return (
    <Drafted form={`edit ${reference}`} fresh={fresh}>
      {(draft) => <EditHousehold {...opened} draft={draft} />}
    </Drafted>
  );
}

function EditHousehold(props: Opened<Group> & { readonly draft: Draft<EditedValues> }): ReactNode {
  const { refused, draft } = props;
  const { seen: record, name, address } = draft.values;
  const opened = { ...props.held, record };
  const { reference } = opened;
  const client = useFieldClient();
  const { go } = useFrame();
  const saving = useSave(client.groups, opened, householdField);
  const set = (change: Partial<EditedValues>) => draft.set({ ...draft.values, ...change });
  const leaving = useLeaving();
  const form = useForm(
    async () => {
      const { address: before, ...rest } = saving.seen;
      const changed = withHomeAddress(before, address);
      const next = { ...rest, name: name.trim(), ...(changed && { address: changed }) };
      const faults = householdFaults(name, address);
      const asked = faults.length > 0 ? faults : leaving.faults(saving.seen, next);
      if (asked.length > 0) return asked;
      const result = await saving.save(next);
      if (!result.saved) return result.faults;
      draft.forget();
      go({ screen: "household", reference }, leaving.said(saving.seen, next));
      return [];
    },
    formFaults(refused, householdField),
  );
  return (
    <Page
      title={texts.editHousehold.title}
      caption={record.name}
      back={{ screen: "household", reference }}
      faulty={form.faults.length > 0}
    >
      <EditForm
        form={form}
        changes={saving.changes}
        draft={draft}
        save={texts.app.save}
        cancel={{ screen: "household", reference }}
      >
        <TextField
          field="name"
          label={texts.household.name}
          hint={texts.household.nameHint}
          value={name}
          onChange={(typed) => set({ name: typed })}
          faults={form.faults}
        />
        <AddressFields values={address} onChange={(typed) => set({ address: typed })} faults={form.faults} />
        <LeavingField leaving={leaving} faults={form.faults} />
      </EditForm>
    </Page>
  );
}
