import type { Explanation, ParkedRecord, RecordState } from "@fieldroll/sync";
import { useExplanation, useFieldClient, useSyncStatus } from "@fieldroll/sync/react";
import { Fragment, type ReactNode, useState } from "react";
import { useFrame } from "../app/context.ts";
import { giveUpAll, useRegistration } from "../app/give-up-all.ts";
import { useNames } from "../app/names.ts";
import { useRights } from "../app/rights.ts";
import { clientIn, instantText } from "../model/person-text.ts";
import { referencesInText } from "../model/plain-words.ts";
import { questionLabels } from "../model/question-label.ts";
import { questionsOf } from "../model/questions.ts";
import { referencesIn } from "../model/record-title.ts";
import { mayChange } from "../model/rights.ts";
import { nameOrKind } from "../model/unknown.ts";
import { answerText, isClash, nextText, serverText } from "../model/why-text.ts";
import { hrefOf, recordRoute } from "../route.ts";
import { texts } from "../texts.ts";
import { LinkButton } from "./button.tsx";
import { Edited } from "./edited.tsx";
import { GiveUp } from "./give-up.tsx";
import { Summary } from "./summary.tsx";
import { StateTag } from "./tags.tsx";
import { Written } from "./text.tsx";
import { VersionValues } from "./versions.tsx";

/** Where a record stands between this device and the server, what a person can do about it, and why it is so. */
export function Standing(props: {
  readonly reference: string;
  readonly state: RecordState;
  /** Further tags. */
  readonly children?: ReactNode;
}): ReactNode {
  const { reference, state } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div className="app-tags">
        <StateTag state={state} />
        {props.children}
      </div>
      {state === "parked" && (
        <LinkButton to={{ screen: "decide", reference }}>{texts.state.decide}</LinkButton>
      )}
      {state !== "synced" && (
        <details className="govuk-details" onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className="govuk-details__summary">
            <span className="govuk-details__summary-text">{texts.why.title}</span>
          </summary>
          <div className="govuk-details__text">{isOpen && <Why reference={reference} />}</div>
        </details>
      )}
    </>
  );
}

function Why(props: { readonly reference: string }): ReactNode {
  const explained = useExplanation(props.reference);
  if (explained.state !== "ready") return null;
  const { edits, answers, parked } = explained.value;
  return (
    <>
      <Summary
        rows={[
          [
            texts.why.changed,
            <Fragment key="changed">
              {texts.why.edits(edits.length, edits[0] ? instantText(edits[0].at) : "")}
              <Edited of={explained.value} />
            </Fragment>,
          ],
          [texts.why.server, serverText(explained.value)],
          ...(parked && isClash(parked)
            ? [[texts.why.wrote, <Clashes key="wrote" parked={parked} />] as const]
            : []),
          [texts.why.next, <Next key="next" of={explained.value} />],
          [
            texts.why.attempts,
            answers.length > 0 ? <Answers key="answers" of={explained.value} /> : texts.why.none,
          ],
        ]}
      />
      <GiveUpUnsent of={explained.value} />
    </>
  );
}

/** What is not under way may be given up, and so may what this sign-in may not send; a registration with all that was made with it. */
function GiveUpUnsent(props: { readonly of: Explanation }): ReactNode {
  const { reference, state, baseVersion, answers } = props.of;
  const { go, givenUp: left } = useFrame();
  const client = useFieldClient();
  const isNew = baseVersion === null;
  const registration = useRegistration(reference, isNew);
  const mayBe = state === "pending" || (state === "sending" && answers.at(-1)?.status === 403);
  if (!mayBe || !registration) return null;
  const { giveUp, giveUpSure, giveUpYes, givenUp, discard, discardSure, discardYes, changesGivenUp } =
    texts.parked;
  const { people, enrollments } = registration;
  const words = isNew
    ? { label: giveUp, sure: giveUpSure(people.length, enrollments.length), yes: giveUpYes }
    : { label: discard, sure: discardSure, yes: discardYes };
  const done = (stay: number) => {
    // Who stays is found all the same.
    if (isNew) for (const each of [reference, ...people, ...enrollments]) left.add(each);
    go(isNew ? { screen: "sync" } : recordRoute(reference), isNew ? givenUp(stay) : changesGivenUp);
  };
  const what = <Edited of={props.of} />;
  return <GiveUp {...words} what={what} act={() => giveUpAll(client, registration)} done={done} />;
}

function Next(props: { readonly of: Explanation }): ReactNode {
  const { reference, blockedBy, nextAttemptAt, parked } = props.of;
  const { when, problem } = nextText(nextAttemptAt, useSyncStatus());
  const rights = useRights();
  if (parked) return isClash(parked) ? texts.why.decideClash : texts.why.decided;
  if (!mayChange(reference, rights)) return texts.rights.wait;
  if (blockedBy !== null) return <After reference={blockedBy} />;
  return (
    <>
      {when}
      {problem && <p>{problem}</p>}
    </>
  );
}

/** The record that has to be sent first, and what holds that one up: that is why this one waits, too. */
function After(props: { readonly reference: string }): ReactNode {
  const { reference } = props;
  const nameOf = useNames([reference]);
  const first = useExplanation(reference);
  return (
    <>
      {texts.why.after}{" "}
      <a className="govuk-link app-target" href={hrefOf(recordRoute(reference))}>
        <Written>{nameOrKind(nameOf(reference), reference)}</Written>
      </a>
      {first.state === "ready" && <HeldUp of={first.value} />}
    </>
  );
}

/** A decision, what came of the last attempt, or that nobody was reached. */
function HeldUp(props: { readonly of: Explanation }): ReactNode {
  const { reference, answers, parked, nextAttemptAt } = props.of;
  const { when, problem } = nextText(nextAttemptAt, useSyncStatus());
  const answer = answers.at(-1);
  if (parked) {
    return (
      <p>
        <a className="govuk-link app-target" href={hrefOf({ screen: "decide", reference })}>
          {texts.state.decide}
        </a>
      </p>
    );
  }
  return (
    <>
      {when !== texts.why.soon && <p>{texts.why.nextAttempt(when)}</p>}
      {problem && <p>{problem}</p>}
      {answer && <p>{answerText(answer, props.of)}</p>}
    </>
  );
}

/** What was written here and elsewhere, where both wrote something else. */
function Clashes(props: { readonly parked: ParkedRecord }): ReactNode {
  const { ours, theirs, written } = props.parked;
  const nameOf = useNames(referencesIn([ours, theirs]));
  const labelOf = questionLabels(props.parked, nameOf);
  return (
    <>
      {questionsOf(props.parked).map((conflict) => (
        <section key={conflict.path}>
          <h3 className="govuk-heading-s">{labelOf(conflict.path)}</h3>
          <VersionValues versions={conflict} nameOf={nameOf} withoutBase />
        </section>
      ))}
      {written && texts.parked.written(instantText(written.at), clientIn(written.by))}
    </>
  );
}

/** The newest first. */
function Answers(props: { readonly of: Explanation }): ReactNode {
  const { answers } = props.of;
  const nameOf = useNames(answers.flatMap(({ message }) => referencesInText(message ?? "")));
  return (
    <ul className="govuk-list">
      {[...answers].reverse().map((answer) => (
        <li key={answer.at}>{answerText(answer, props.of, nameOf)}</li>
      ))}
    </ul>
  );
}
