import type { FieldError } from "@fieldroll/core";
import { type ReactNode, useEffect, useRef } from "react";
import { texts } from "../texts.ts";

/** The id of the control that holds a field; errors link to it. */
export function controlId(field: string): string {
  return `field-${field.replaceAll(/[^\w-]+/g, "-")}`;
}

/** All faults of a form, each a link to its control. Takes the focus when it appears. */
export function ErrorSummary(props: {
  readonly faults: readonly FieldError[];
  /** Whom or what a field is about, where a form has the same field several times. */
  readonly about?: (field: string) => string | undefined;
}): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const { faults } = props;
  useEffect(() => {
    if (faults.length > 0) box.current?.focus();
  }, [faults]);
  if (faults.length === 0) return null;
  return (
    <div
      className="govuk-error-summary"
      ref={box}
      tabIndex={-1}
      role="alert"
      aria-labelledby="error-summary-title"
    >
      <h2 className="govuk-error-summary__title" id="error-summary-title">
        {texts.app.problem}
      </h2>
      <div className="govuk-error-summary__body">
        <ul className="govuk-list govuk-error-summary__list">
          {faults.map((fault) => (
            <li key={`${fault.field} ${fault.message}`}>
              <FaultLink fault={fault} about={props.about?.(fault.field)} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function FaultLink(props: { readonly fault: FieldError; readonly about: string | undefined }): ReactNode {
  const { field } = props.fault;
  const message = props.about ? texts.register.about(props.about, props.fault.message) : props.fault.message;
  const id = controlId(field);
  if (field === "") return <span className="govuk-error-message">{message}</span>;
  return (
    <a
      href={`#${id}`}
      onClick={(event) => {
        event.preventDefault();
        const control = document.getElementById(id);
        control?.scrollIntoView({ block: "center" });
        control?.focus();
      }}
    >
      {message}
    </a>
  );
}

/** The message of one field, or `undefined`. */
export function faultOf(faults: readonly FieldError[], field: string): string | undefined {
  return faults.find((fault) => fault.field === field)?.message;
}

export function ErrorMessage(props: { readonly id: string; readonly children: string }): ReactNode {
  return (
    <p id={props.id} className="govuk-error-message">
      <span className="govuk-visually-hidden">{texts.app.error}</span> {props.children}
    </p>
  );
}
