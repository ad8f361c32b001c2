import type { ProgramMembership } from "@fieldroll/core";
import { useFieldClient } from "@fieldroll/sync/react";
import type { ReactNode } from "react";
import { useFrame } from "../app/context.ts";
import { useForm } from "../app/form.ts";
import { useNames } from "../app/names.ts";
import { type Opened, useOpened } from "../app/opened.ts";
import { useSave } from "../app/save.ts";
import type { DayValues } from "../model/day-form.ts";
import {
  asksOfExit,
  changedEnrollment,
  type EnrollmentValues,
  enrollmentFaults,
  enrollmentValues,
} from "../model/enrollment-form.ts";
import { enrollmentField, formFaults } from "../model/fault-fields.ts";
import { recordRoute } from "../route.ts";
import { texts } from "../texts.ts";
import { DayField } from "../ui/day-field.tsx";
import { type Draft, Drafted } from "../ui/draft.tsx";
import { EditForm } from "../ui/edit-form.tsx";
import { TextField } from "../ui/fields.tsx";
import { LoadingPage, MissingPage, Page } from "../ui/page.tsx";

/** Corrects since when somebody is enrolled, and when and why they left. */
export function EditEnrollmentScreen(props: { readonly reference: string }): ReactNode {
  const opening = useOpened("ProgramMembership", props.reference);
  if (opening.state === "ready") return <EditedEnrollment {...opening.opened} />;
  if (opening.state === "failed")
    return <MissingPage reference={props.reference} kind={opening.problem.kind} />;
  return <LoadingPage />;
}

interface EditedValues extends EnrollmentValues {
  /** The enrollment as the form was filled from it. */
  readonly seen: ProgramMembership;
}

function EditedEnrollment(opened: Opened<ProgramMembership>): ReactNode {
  const { record, reference } = opened.held;
  const fresh = (): EditedValues => ({ seen: record, ...enrollmentValues(record) });
  return (
    <Drafted form={`edit ${reference}`} fresh={fresh}>
      {(draft) => <EditEnrollment {...opened} draft={draft} />}
    </Drafted>
  );
}

function EditEnrollment(
  props: Opened<ProgramMembership> & { readonly draft: Draft<EditedValues> },
): ReactNode {
  const { refused, draft } = props;
  const { seen: record, enrolled, left, reason } = draft.values;
  const { reference } = props.held;
  const back = recordRoute(reference);
  const beneficiary = record.beneficiary.reference;
  const caption = useNames([beneficiary])(beneficiary);
  const client = useFieldClient();
  const { go, today } = useFrame();
  const saving = useSave(client.memberships, { ...props.held, record }, enrollmentField);
  const set = (change: Partial<EditedValues>) => draft.set({ ...draft.values, ...change });
  const form = useForm(
    async () => {
      const program = await client.programs.read(record.program.reference);
      const firstDay = program.ok ? program.value.record.period?.start : undefined;
      const faults = enrollmentFaults(saving.seen, draft.values, { today: today(), firstDay });
      if (faults.length > 0) return faults;
      const result = await saving.save(changedEnrollment(saving.seen, draft.values));
      if (!result.saved) return result.faults;
      draft.forget();
      go(back, texts.app.success);
      return [];
    },
    formFaults(refused, enrollmentField),
  );
  const day = (part: "enrolled" | "left", values: DayValues) => ({
    fields: { day: `${part}Day`, month: `${part}Month`, year: `${part}Year` },
    hint: texts.enrollment.dayHint,
    values,
    onChange: (change: Partial<DayValues>) => set({ [part]: { ...values, ...change } }),
    faults: form.faults,
  });
  return (
    <Page
      title={texts.enrollment.edit}
      {...(caption !== undefined && { caption })}
      back={back}
      faulty={form.faults.length > 0}
    >
      <EditForm form={form} changes={saving.changes} draft={draft} save={texts.app.save} cancel={back}>
        <DayField {...day("enrolled", enrolled)} label={texts.enrollment.enrolledOn} />
        {asksOfExit(record) && (
          <>
            <DayField {...day("left", left)} label={texts.enrollment.exitedOn} />
            <TextField
              field="exitReason"
              label={texts.enrollment.exitReason}
              value={reason}
              onChange={(typed) => set({ reason: typed })}
              faults={form.faults}
            />
          </>
        )}
      </EditForm>
    </Page>
  );
}
