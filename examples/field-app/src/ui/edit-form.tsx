import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import type { FormState } from "../app/form.ts";
import { fieldLabel, type NameOf } from "../model/conflict-text.ts";
import type { Versions } from "../model/questions.ts";
import type { Route } from "../route.ts";
import { texts } from "../texts.ts";
import { Button, LinkButton } from "./button.tsx";
import { type Draft, DraftNotice } from "./draft.tsx";
import { ErrorSummary } from "./faults.tsx";
import { VersionValues } from "./versions.tsx";

interface ChangedProps {
  readonly form: FormState;
  /** What others changed in the same fields, when saving was refused for it. */
  readonly changes: readonly Versions[];
  readonly nameOf?: NameOf;
}

/**
 * A form that changes a record. Once a save was refused because someone else changed the same fields, the form's button leads to
 * their values, where the one that saves anyway is: a second tap on the first one must not overwrite what nobody has seen.
 */
export function EditForm(
  props: ChangedProps & {
    readonly draft: Draft<unknown>;
    /** What the button says that saves. */
    readonly save: string;
    /** Where "Cancel" leads; without it there is none. */
    readonly cancel?: Route;
    readonly children: ReactNode;
  },
): ReactNode {
  const { form, changes, draft, cancel } = props;
  const box = useRef<HTMLDivElement>(null);
  const isRefused = changes.length > 0;
  return (
    <>
      <ErrorSummary faults={form.faults} />
      <DraftNotice draft={draft} />
      {isRefused && <ChangedMeanwhile {...props} box={box} />}
      <form
        onSubmit={(event) => {
          if (!isRefused) return form.submit(event);
          event.preventDefault();
          lookAt(box.current);
        }}
        noValidate
      >
        {props.children}
        <div className="app-actions">
          {isRefused ? (
            <Button look="secondary">{texts.changedMeanwhile.look}</Button>
          ) : (
            <Button busy={form.busy}>{props.save}</Button>
          )}
          {cancel && (
            <LinkButton to={cancel} look="secondary" onFollow={draft.forget}>
              {texts.app.cancel}
            </LinkButton>
          )}
        </div>
      </form>
    </>
  );
}

/** A second tap that was meant for "Save" comes within this time, in milliseconds. */
const secondTap = 1000;

/** Tells what someone else changed, with all three values. Takes the focus when it appears. */
function ChangedMeanwhile(
  props: ChangedProps & { readonly box: RefObject<HTMLDivElement | null> },
): ReactNode {
  const { form, changes, nameOf, box } = props;
  const [seen, setSeen] = useState<ChangedProps["changes"] | null>(null);
  useEffect(() => {
    lookAt(box.current);
    const timer = setTimeout(() => setSeen(changes), secondTap);
    return () => clearTimeout(timer);
  }, [changes, box]);
  const waits = seen !== changes;
  return (
    <div
      className="govuk-error-summary"
      ref={box}
      tabIndex={-1}
      role="alert"
      aria-labelledby="changed-meanwhile"
    >
      <h2 className="govuk-error-summary__title" id="changed-meanwhile">
        {texts.changedMeanwhile.title}
      </h2>
      <p className="govuk-body">{texts.changedMeanwhile.explain}</p>
      {changes.map((change) => (
        <section key={change.path}>
          <h3 className="govuk-heading-s">{fieldLabel(change.path)}</h3>
          <VersionValues versions={change} {...(nameOf && { nameOf })} />
        </section>
      ))}
      <Button look="warning" busy={form.busy} waits={waits} onClick={() => waits || form.submit()}>
        {texts.changedMeanwhile.again}
      </Button>
    </div>
  );
}

/** From its beginning: what has the focus by itself may be scrolled to its middle. */
function lookAt(box: HTMLElement | null): void {
  box?.scrollIntoView({ block: "start" });
  box?.focus({ preventScroll: true });
}
