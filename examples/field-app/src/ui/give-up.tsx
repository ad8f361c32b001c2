import { type FieldError, type Outcome, type Problem, parseReference } from "@fieldroll/core";
import { type ReactNode, useState } from "react";
import { problemFaults, useForm } from "../app/form.ts";
import { useNames } from "../app/names.ts";
import { hrefOf, recordRoute } from "../route.ts";
import { texts } from "../texts.ts";
import { Button } from "./button.tsx";
import { ErrorSummary } from "./faults.tsx";
import { Written } from "./text.tsx";

/** Giving up what is unsent of a record, asked twice. Where others made here refer to it, leads to them: they have to go first. */
export function GiveUp<T>(props: {
  readonly label: string;
  readonly sure: string;
  readonly yes: string;
  /** What is given up, where that is more than the words say. */
  readonly what?: ReactNode;
  readonly act: () => Promise<Outcome<T>>;
  /** Called when it is done, with what `act` answered. */
  readonly done: (told: T) => void;
}): ReactNode {
  const { act, done } = props;
  const [asked, setAsked] = useState(false);
  const form = useForm(async () => {
    const outcome = await act();
    if (outcome.ok) done(outcome.value);
    return outcome.ok ? [] : faultsOf(outcome.problem);
  });
  const users = form.faults.filter(({ code }) => code === "referred_to");
  if (!asked) {
    return (
      <Button look="secondary" onClick={() => setAsked(true)}>
        {props.label}
      </Button>
    );
  }
  return (
    <section aria-labelledby="give-up-sure">
      {users.length > 0 ? (
        <Users references={users.map(({ field }) => field)} />
      ) : (
        <ErrorSummary faults={form.faults} />
      )}
      <p className="govuk-body" id="give-up-sure">
        {props.sure}
      </p>
      {props.what}
      <div className="app-actions">
        <Button look="warning" busy={form.busy} onClick={() => form.submit()}>
          {props.yes}
        </Button>
        <Button look="secondary" onClick={() => setAsked(false)}>
          {texts.app.cancel}
        </Button>
      </div>
    </section>
  );
}

/** Of those that refer to the record, the references stay: see `resolve` of the client. */
function faultsOf(problem: Problem): readonly FieldError[] {
  const users = problem.errors?.filter(({ code }) => code === "referred_to") ?? [];
  return users.length > 0 ? users : problemFaults(problem, () => "");
}

/** The records that use it, each a link to where it can be given up. */
function Users(props: { readonly references: readonly string[] }): ReactNode {
  const nameOf = useNames(props.references);
  return (
    <div className="govuk-inset-text" role="alert">
      <p className="govuk-body">{texts.parked.usedBy}</p>
      <ul className="govuk-list">
        {props.references.map((reference) => (
          <li key={reference}>
            <a className="govuk-link app-target" href={hrefOf(recordRoute(reference))}>
              <Written>{nameOf(reference) ?? kindOf(reference)}</Written>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function kindOf(reference: string): string {
  const parsed = parseReference(reference);
  return parsed.ok ? texts.resources[parsed.value.type] : reference;
}
