import type { ParkedRecord } from "@fieldroll/sync";
import { type ReactNode, useState } from "react";
import { useForm } from "../app/form.ts";
import { useResolve } from "../app/resolve.ts";
import type { NameOf } from "../model/conflict-text.ts";
import { questionLabels } from "../model/question-label.ts";
import {
  type Chosen,
  choicesOf,
  chosenSide,
  questionsOf,
  type Side,
  sameQuestion,
  type Versions,
} from "../model/questions.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/faults.tsx";
import { RadioField } from "../ui/fields.tsx";
import { VersionValues } from "../ui/versions.tsx";

/**
 * A question for each field that two people wrote differently. When news changes the record meanwhile, choices stay where their
 * values are the same, and the person is told where they are not.
 */
export function Choices(props: {
  readonly kind: "choose" | "adopt";
  readonly parked: ParkedRecord;
  readonly nameOf: NameOf;
}): ReactNode {
  const { kind, parked, nameOf } = props;
  const resolve = useResolve(parked);
  const questions = questionsOf(parked);
  const labelOf = questionLabels(parked, nameOf);
  const [opened] = useState(questions);
  const [chosen, setChosen] = useState<Chosen>({});
  const isNew = (question: Versions) => !opened.some((before) => sameQuestion(before, question));
  const form = useForm(async () => {
    const sides = sidesOf(questions, chosen);
    const missing = questions
      .filter(({ path }) => !sides[path])
      .map(({ path }) => ({
        field: path,
        code: "required",
        message: texts.parked.missingChoice(labelOf(path)),
      }));
    if (missing.length > 0) return missing;
    return resolve({ kind, revision: parked.revision, choices: choicesOf(parked, sides) });
  });
  return (
    <form onSubmit={form.submit} noValidate>
      <News opened={opened} questions={questions} isNew={isNew} labelOf={labelOf} />
      <ErrorSummary faults={form.faults} />
      {questions.map((question) => (
        <section className="app-choice" key={question.path} data-path={question.path}>
          <h2 className="govuk-heading-m">{labelOf(question.path)}</h2>
          <VersionValues
            versions={question}
            nameOf={nameOf}
            {...(kind === "adopt" && { withoutBase: true, theirs: texts.parked.other })}
          />
          <RadioField
            field={question.path}
            label={labelOf(question.path)}
            legendClass="govuk-visually-hidden"
            {...(isNew(question) && { hint: texts.parked.newValues })}
            value={chosenSide(chosen, question) ?? ""}
            onChange={(side) =>
              setChosen({ ...chosen, [question.path]: { side: side as Side, of: question } })
            }
            faults={form.faults}
            choices={[
              { value: "ours", text: texts.parked.chooseOurs },
              {
                value: "theirs",
                text: kind === "adopt" ? texts.parked.chooseOther : texts.parked.chooseTheirs,
              },
            ]}
          />
        </section>
      ))}
      <Button busy={form.busy}>{kind === "adopt" ? texts.parked.adopt : texts.parked.submit}</Button>
    </form>
  );
}

function sidesOf(questions: readonly Versions[], chosen: Chosen): Readonly<Record<string, Side>> {
  return Object.fromEntries(
    questions.flatMap((question) => {
      const side = chosenSide(chosen, question);
      return side ? [[question.path, side] as const] : [];
    }),
  );
}

/** Tells that what is decided on is not what it was when the screen opened. */
function News(props: {
  readonly opened: readonly Versions[];
  readonly questions: readonly Versions[];
  readonly isNew: (question: Versions) => boolean;
  readonly labelOf: (path: string) => string;
}): ReactNode {
  const { opened, questions } = props;
  const changed = questions.filter(props.isNew).map(({ path }) => props.labelOf(path));
  const isSame = changed.length === 0 && questions.length === opened.length;
  if (isSame) return null;
  return (
    <p className="govuk-inset-text" role="alert">
      {texts.parked.news(changed)}
    </p>
  );
}
