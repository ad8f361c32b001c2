import type { FieldError, Group } from "@fieldroll/core";
import { useFieldClient } from "@fieldroll/sync/react";
import { type ReactNode, useState } from "react";
import { useFrame } from "../app/context.ts";
import { useForm } from "../app/form.ts";
import { type Opened, useOpened } from "../app/opened.ts";
import { useSave } from "../app/save.ts";
import { type AddressValues, addressFaults, addressValues, withHomeAddress } from "../model/address-form.ts";
import { formFaults, householdField } from "../model/fault-fields.ts";
import { homeAddress } from "../model/person-text.ts";
import { texts } from "../texts.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/faults.tsx";
import { TextField } from "../ui/fields.tsx";
import { LoadingPage, MissingPage, Page } from "../ui/page.tsx";
import { AddressFields } from "../ui/person-fields.tsx";
import { ChangedMeanwhile } from "../ui/versions.tsx";

/** Edits a household's name and address. */
export function EditHouseholdScreen(props: { readonly reference: string }): ReactNode {
  const opening = useOpened("Group", props.reference);
  if (opening.state === "ready") return <EditHousehold {...opening.opened} />;
  if (opening.state === "failed") return <MissingPage kind={opening.problem.kind} />;
  return <LoadingPage />;
}

/** What is wrong with a household's name and address. */
export function householdFaults(name: string, address: AddressValues): readonly FieldError[] {
  const missing = name.trim()
    ? []
    : [{ field: "name", code: "required", message: texts.editHousehold.missingName }];
  return [...missing, ...addressFaults(address, "")];
}

function EditHousehold(props: Opened<Group>): ReactNode {
  const { held: opened, refused } = props;
  const { reference, record } = opened;
  const client = useFieldClient();
  const { go } = useFrame();
  const saving = useSave(client.groups, opened, householdField);
  const [name, setName] = useState(record.name);
  const [address, setAddress] = useState(() => addressValues(homeAddress(record.address)));
  const form = useForm(
    async () => {
      const faults = householdFaults(name, address);
      if (faults.length > 0) return faults;
      const { address: before, ...rest } = saving.seen;
      const changed = withHomeAddress(before, address);
      const result = await saving.save({ ...rest, name: name.trim(), ...(changed && { address: changed }) });
      if (result.saved) go({ screen: "household", reference }, texts.app.success);
      return result.faults;
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
      <ErrorSummary faults={form.faults} />
      <ChangedMeanwhile changes={saving.changes} />
      <form onSubmit={form.submit} noValidate>
        <TextField
          field="name"
          label={texts.household.name}
          hint={texts.household.nameHint}
          value={name}
          onChange={setName}
          faults={form.faults}
        />
        <AddressFields values={address} onChange={setAddress} faults={form.faults} />
        <div className="app-actions">
          <Button busy={form.busy}>
            {saving.changes.length > 0 ? texts.changedMeanwhile.again : texts.app.save}
          </Button>
          <LinkButton to={{ screen: "household", reference }} look="secondary">
            {texts.app.cancel}
          </LinkButton>
        </div>
      </form>
    </Page>
  );
}
