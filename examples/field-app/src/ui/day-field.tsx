import type { FieldError } from "@fieldroll/core";
import { type ReactNode, useId } from "react";
import type { DayValues } from "../model/day-form.ts";
import { texts } from "../texts.ts";
import { controlId, ErrorMessage, faultOf } from "./faults.tsx";

/** A day, typed in three parts. */
export function DayField(props: {
  /** The names of the parts; faults are of the first. */
  readonly fields: DayValues;
  readonly label: string;
  readonly hint: string;
  readonly values: DayValues;
  readonly onChange: (change: Partial<DayValues>) => void;
  readonly faults: readonly FieldError[];
}): ReactNode {
  const { fields, values, onChange } = props;
  const id = useId();
  const fault = faultOf(props.faults, fields.day);
  const parts = [
    ["day", texts.person.day, 2],
    ["month", texts.person.month, 2],
    ["year", texts.person.year, 4],
  ] as const;
  const by = fault ? `${id}-hint ${id}-error` : `${id}-hint`;
  return (
    <div className={fault ? "govuk-form-group govuk-form-group--error" : "govuk-form-group"}>
      <fieldset className="govuk-fieldset" aria-describedby={by}>
        <legend className="govuk-fieldset__legend">{props.label}</legend>
        <div className="govuk-hint" id={`${id}-hint`}>
          {props.hint}
        </div>
        {fault && <ErrorMessage id={`${id}-error`}>{fault}</ErrorMessage>}
        <div className="govuk-date-input">
          {parts.map(([part, label, width]) => (
            <div className="govuk-date-input__item" key={part}>
              <label className="govuk-label govuk-date-input__label" htmlFor={controlId(fields[part])}>
                {label}
              </label>
              <input
                className={`govuk-input govuk-date-input__input govuk-input--width-${width} ${fault ? "govuk-input--error" : ""}`}
                id={controlId(fields[part])}
                inputMode="numeric"
                autoComplete="off"
                value={values[part]}
                onChange={(event) => onChange({ [part]: event.target.value })}
              />
            </div>
          ))}
        </div>
      </fieldset>
    </div>
  );
}
