import { type MembershipStatus, membershipTransitions, type ProgramMembership } from "@fieldroll/core";
import type { Held } from "@fieldroll/sync";
import { useFieldClient, useRecord } from "@fieldroll/sync/react";
import type { ReactNode } from "react";
import { useFrame } from "../app/context.ts";
import { useDay } from "../app/day.ts";
import { useEnding } from "../app/ending.ts";
import { useForm } from "../app/form.ts";
import { useNames } from "../app/names.ts";
import { useRights } from "../app/rights.ts";
import { useSave } from "../app/save.ts";
import { hasDays, moveFaults } from "../model/enrollment-form.ts";
import { dayText } from "../model/person-text.ts";
import { nameOrKind } from "../model/unknown.ts";
import { hrefOf, recordRoute } from "../route.ts";
import { texts } from "../texts.ts";
import { LinkButton } from "../ui/button.tsx";
import { DayAskedField } from "../ui/day-asked.tsx";
import { type Draft, Drafted } from "../ui/draft.tsx";
import { EditForm } from "../ui/edit-form.tsx";
import { EndingField } from "../ui/ending.tsx";
import { RadioField, TextField } from "../ui/fields.tsx";
import { LoadingPage, MissingPage, Page } from "../ui/page.tsx";
import { Standing } from "../ui/standing.tsx";
import { Summary } from "../ui/summary.tsx";
import { Written } from "../ui/text.tsx";

/** One enrollment, and the moves its state allows. */
export function EnrollmentScreen(props: { readonly reference: string }): ReactNode {
  const loaded = useRecord("ProgramMembership", props.reference);
  if (loaded.state === "loading") return <LoadingPage />;
  if (loaded.state === "failed")
    return <MissingPage reference={props.reference} kind={loaded.problem.kind} />;
  // A new state starts a new form.
  return <EnrollmentPage key={loaded.value.record.status} held={loaded.value} />;
}

function EnrollmentPage(props: { readonly held: Held<ProgramMembership> }): ReactNode {
  const { record, reference, state } = props.held;
  const beneficiary = record.beneficiary.reference;
  const nameOf = useNames([beneficiary, record.program.reference]);
  const { changesPrograms } = useRights();
  const moves = membershipTransitions[record.status];
  const title = nameOrKind(nameOf(record.program.reference), record.program.reference);
  return (
    <Page title={title} written caption={texts.enrollment.kind} back={recordRoute(beneficiary)}>
      <Standing reference={reference} state={state} />
      <Summary
        rows={[
          [
            texts.enrollment.beneficiary,
            <a key="beneficiary" className="govuk-link app-target" href={hrefOf(recordRoute(beneficiary))}>
              <Written>{nameOrKind(nameOf(beneficiary), beneficiary)}</Written>
            </a>,
          ],
          [texts.enrollment.status, texts.enrollment.statuses[record.status] ?? record.status],
          [
            texts.enrollment.enrolledOn,
            record.enrollmentDate ? dayText(record.enrollmentDate) : texts.app.notGiven,
          ],
          ...(record.exitDate ? [[texts.enrollment.exitedOn, dayText(record.exitDate)] as const] : []),
          ...(record.exitReason ? [[texts.enrollment.exitReason, record.exitReason] as const] : []),
        ]}
      />
      {(state !== "synced" || hasDays(record)) && changesPrograms && (
        <LinkButton to={{ screen: "edit-enrollment", reference }} look="secondary">
          {texts.enrollment.edit}
        </LinkButton>
      )}
      {moves.length === 0 && <p className="govuk-body">{texts.enrollment.final}</p>}
      {moves.length > 0 &&
        (changesPrograms ? (
          <Moved held={props.held} moves={moves} />
        ) : (
          <p className="govuk-hint">{texts.rights.noEnrolling}</p>
        ))}
    </Page>
  );
}

interface MoveProps {
  readonly held: Held<ProgramMembership>;
  readonly moves: readonly MembershipStatus[];
}

interface MoveValues {
  /** The enrollment as the form was filled from it. */
  readonly seen: ProgramMembership;
  readonly status: MembershipStatus | "";
  readonly reason: string;
}

/** What may come next hangs on the status: for another one, something else was typed. */
function Moved(props: MoveProps): ReactNode {
  const { record, reference } = props.held;
  const fresh = (): MoveValues => ({ seen: record, status: "", reason: "" });
  return (
    <Drafted form={`move ${reference} from ${record.status}`} fresh={fresh} loading={null}>
      {(draft) => <Move {...props} draft={draft} />}
    </Drafted>
  );
}

function Move(props: MoveProps & { readonly draft: Draft<MoveValues> }): ReactNode {
  const { moves, draft } = props;
  const { seen, status, reason } = draft.values;
  const held = { ...props.held, record: seen };
  const client = useFieldClient();
  const { go } = useFrame();
  const saving = useSave(client.memberships, held, (pointer) =>
    pointer === "/exitReason" ? "exitReason" : "status",
  );
  const ending = useEnding(status);
  const day = useDay();
  const set = (change: Partial<MoveValues>) => draft.set({ ...draft.values, ...change });
  const form = useForm(async () => {
    const faults = moveFaults(status, reason);
    if (faults.length > 0 || !status) return faults;
    const asked = [...ending.faults(status), ...(status === "exited" ? day.faults() : [])];
    if (asked.length > 0) return asked;
    const exit = status === "exited" ? { exitReason: reason.trim() } : {};
    const result = await saving.save({ ...saving.seen, status, ...exit });
    if (!result.saved) return result.faults;
    draft.forget();
    go({ screen: "enrollment", reference: held.reference }, texts.app.success);
    return [];
  });
  return (
    <EditForm form={form} changes={saving.changes} draft={draft} save={texts.enrollment.save}>
      <RadioField
        field="status"
        label={texts.enrollment.next}
        legendClass="govuk-fieldset__legend--m"
        value={status}
        onChange={(value) => set({ status: value as MembershipStatus })}
        faults={form.faults}
        choices={moves.map((move) => ({
          value: move,
          text: texts.enrollment.statuses[move] ?? move,
          ...(move === "exited" && {
            reveal: (
              <TextField
                field="exitReason"
                label={texts.enrollment.exitReason}
                value={reason}
                onChange={(typed) => set({ reason: typed })}
                faults={form.faults}
              />
            ),
          }),
        }))}
      />
      <EndingField ending={ending} faults={form.faults} />
      <DayAskedField asked={day} faults={form.faults} />
    </EditForm>
  );
}
