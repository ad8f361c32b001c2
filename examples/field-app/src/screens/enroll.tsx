import type { Program } from "@fieldroll/core";
import type { Held } from "@fieldroll/sync";
import { useFieldClient, useRecord } from "@fieldroll/sync/react";
import { type ReactNode, useState } from "react";
import { useFrame } from "../app/context.ts";
import { useDay } from "../app/day.ts";
import { problemFaults, useForm } from "../app/form.ts";
import { useNames } from "../app/names.ts";
import { useNoProgramsText, useOfferedPrograms } from "../app/programs.ts";
import { recordRoute } from "../route.ts";
import { texts } from "../texts.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { DayAskedField } from "../ui/day-asked.tsx";
import { ErrorSummary } from "../ui/faults.tsx";
import { RadioField } from "../ui/fields.tsx";
import { LoadingPage, MissingPage, Page } from "../ui/page.tsx";

/** Enrolls a household or person in a program that is active and made for its kind. */
export function EnrollScreen(props: { readonly reference: string }): ReactNode {
  const { reference } = props;
  const enrolled = useRecord(reference.startsWith("Group/") ? "Group" : "Individual", reference);
  const offered = useOfferedPrograms(reference);
  if (enrolled.state === "loading" || !offered) return <LoadingPage />;
  if (enrolled.state === "failed")
    return <MissingPage reference={props.reference} kind={enrolled.problem.kind} />;
  return <Enroll reference={reference} offered={offered} />;
}

function Enroll(props: {
  readonly reference: string;
  readonly offered: readonly Held<Program>[];
}): ReactNode {
  const { reference, offered } = props;
  const client = useFieldClient();
  const { go } = useFrame();
  const name = useNames([reference])(reference);
  const none = useNoProgramsText(texts.enroll.none);
  const [program, setProgram] = useState("");
  const day = useDay();
  const form = useForm(async () => {
    if (!program) return [{ field: "program", code: "required", message: texts.enroll.missing }];
    // The day of enrolling is this device's.
    const asked = day.faults();
    if (asked.length > 0) return asked;
    const outcome = await client.memberships.create({
      program: { reference: program },
      beneficiary: { reference },
      status: "enrolled",
    });
    if (!outcome.ok) return problemFaults(outcome.problem, () => "program");
    go(recordRoute(reference), texts.app.success);
    return [];
  });
  return (
    <Page
      title={texts.enroll.title}
      {...(name !== undefined && { caption: name })}
      back={recordRoute(reference)}
      faulty={form.faults.length > 0}
    >
      <ErrorSummary faults={form.faults} />
      {offered.length === 0 && <p className="govuk-body">{none}</p>}
      <form onSubmit={form.submit} noValidate>
        {offered.length > 0 && (
          <RadioField
            field="program"
            label={texts.enroll.which}
            value={program}
            onChange={setProgram}
            faults={form.faults}
            choices={offered.map((held) => ({
              value: held.reference,
              text: held.record.name,
              written: true,
              ...(held.record.description && { hint: held.record.description }),
            }))}
          />
        )}
        <DayAskedField asked={day} faults={form.faults} />
        <div className="app-actions">
          {offered.length > 0 && <Button busy={form.busy}>{texts.enroll.submit}</Button>}
          <LinkButton to={recordRoute(reference)} look="secondary">
            {texts.app.cancel}
          </LinkButton>
        </div>
      </form>
    </Page>
  );
}
