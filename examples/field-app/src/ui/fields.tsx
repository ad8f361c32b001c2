import type { FieldError } from "@fieldroll/core";
import { type InputHTMLAttributes, type ReactNode, useId } from "react";
import { controlId, ErrorMessage, faultOf } from "./faults.tsx";

/** What every control of a form is told. */
export interface FieldProps {
  /** The name that faults use. */
  readonly field: string;
  readonly label: string;
  readonly hint?: string;
  readonly faults?: readonly FieldError[];
}

function described(props: FieldProps) {
  const id = controlId(props.field);
  const fault = faultOf(props.faults ?? [], props.field);
  const hintId = props.hint ? `${id}-hint` : undefined;
  const faultId = fault ? `${id}-error` : undefined;
  return { id, fault, hintId, faultId, by: [hintId, faultId].filter(Boolean).join(" ") || undefined };
}

function group(fault: string | undefined): string {
  return fault ? "govuk-form-group govuk-form-group--error" : "govuk-form-group";
}

/** One line of text. Its direction follows what is typed. What is too long is refused on saving: nothing is cut off while it is typed. */
export function TextField(
  props: FieldProps & {
    readonly value: string;
    readonly onChange: (value: string) => void;
    readonly input?: InputHTMLAttributes<HTMLInputElement>;
    readonly className?: string;
  },
): ReactNode {
  const { id, fault, hintId, faultId, by } = described(props);
  return (
    <div className={group(fault)}>
      <label className="govuk-label" htmlFor={id}>
        {props.label}
      </label>
      {hintId && (
        <div id={hintId} className="govuk-hint">
          {props.hint}
        </div>
      )}
      {fault && faultId && <ErrorMessage id={faultId}>{fault}</ErrorMessage>}
      <input
        id={id}
        name={props.field}
        type="text"
        dir="auto"
        autoComplete="off"
        {...props.input}
        className={`govuk-input ${props.className ?? ""} ${fault ? "govuk-input--error" : ""}`}
        aria-describedby={by}
        aria-invalid={fault ? true : undefined}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
      />
    </div>
  );
}

export interface Choice {
  readonly value: string;
  readonly text: string;
  readonly hint?: string;
  /** Shown under the choice while it is chosen. */
  readonly reveal?: ReactNode;
  readonly written?: boolean;
}

/** One of several. */
export function RadioField(
  props: FieldProps & {
    readonly value: string;
    readonly choices: readonly Choice[];
    readonly onChange: (value: string) => void;
    readonly inline?: boolean;
    readonly legendClass?: string;
  },
): ReactNode {
  const { id, fault, hintId, faultId, by } = described(props);
  const name = useId();
  return (
    <div className={group(fault)}>
      <fieldset className="govuk-fieldset" aria-describedby={by}>
        <legend className={`govuk-fieldset__legend ${props.legendClass ?? ""}`}>{props.label}</legend>
        {hintId && (
          <div id={hintId} className="govuk-hint">
            {props.hint}
          </div>
        )}
        {fault && faultId && <ErrorMessage id={faultId}>{fault}</ErrorMessage>}
        <div className={props.inline ? "govuk-radios govuk-radios--inline" : "govuk-radios"}>
          {props.choices.map((choice, at) => (
            <RadioChoice
              key={choice.value}
              id={at === 0 ? id : `${id}-${at}`}
              name={name}
              choice={choice}
              checked={choice.value === props.value}
              onChoose={props.onChange}
            />
          ))}
        </div>
      </fieldset>
    </div>
  );
}

function RadioChoice(props: {
  readonly id: string;
  readonly name: string;
  readonly choice: Choice;
  readonly checked: boolean;
  readonly onChoose: (value: string) => void;
}): ReactNode {
  const { id, choice, checked } = props;
  return (
    <>
      <div className="govuk-radios__item">
        <input
          className="govuk-radios__input"
          id={id}
          name={props.name}
          type="radio"
          value={choice.value}
          checked={checked}
          aria-describedby={choice.hint ? `${id}-item-hint` : undefined}
          onChange={() => props.onChoose(choice.value)}
        />
        <label className="govuk-label govuk-radios__label" htmlFor={id}>
          {choice.written ? <bdi dir="auto">{choice.text}</bdi> : choice.text}
        </label>
        {choice.hint && (
          <div className="govuk-hint govuk-radios__hint" id={`${id}-item-hint`}>
            {choice.hint}
          </div>
        )}
      </div>
      {checked && choice.reveal && <div className="govuk-radios__conditional">{choice.reveal}</div>}
    </>
  );
}

/** Any number of several. */
export function CheckboxField(
  props: FieldProps & {
    readonly values: readonly string[];
    readonly choices: readonly Choice[];
    readonly onChange: (values: readonly string[]) => void;
  },
): ReactNode {
  const { id, fault, hintId, faultId, by } = described(props);
  const toggled = (value: string) =>
    props.values.includes(value) ? props.values.filter((known) => known !== value) : [...props.values, value];
  return (
    <div className={group(fault)}>
      <fieldset className="govuk-fieldset" aria-describedby={by}>
        <legend className="govuk-fieldset__legend govuk-fieldset__legend--m">{props.label}</legend>
        {hintId && (
          <div id={hintId} className="govuk-hint">
            {props.hint}
          </div>
        )}
        {fault && faultId && <ErrorMessage id={faultId}>{fault}</ErrorMessage>}
        <div className="govuk-checkboxes">
          {props.choices.map((choice, at) => (
            <div className="govuk-checkboxes__item" key={choice.value}>
              <input
                className="govuk-checkboxes__input"
                id={at === 0 ? id : `${id}-${at}`}
                type="checkbox"
                value={choice.value}
                checked={props.values.includes(choice.value)}
                onChange={() => props.onChange(toggled(choice.value))}
              />
              <label className="govuk-label govuk-checkboxes__label" htmlFor={at === 0 ? id : `${id}-${at}`}>
                {choice.text}
              </label>
            </div>
          ))}
        </div>
      </fieldset>
    </div>
  );
}

/** One of a short list; the first, empty entry stands for nothing. */
export function SelectField(
  props: FieldProps & {
    readonly value: string;
    readonly choices: readonly Choice[];
    readonly onChange: (value: string) => void;
  },
): ReactNode {
  const { id, fault, hintId, faultId, by } = described(props);
  return (
    <div className={group(fault)}>
      <label className="govuk-label" htmlFor={id}>
        {props.label}
      </label>
      {hintId && (
        <div id={hintId} className="govuk-hint">
          {props.hint}
        </div>
      )}
      {fault && faultId && <ErrorMessage id={faultId}>{fault}</ErrorMessage>}
      <select
        id={id}
        className={fault ? "govuk-select govuk-select--error" : "govuk-select"}
        aria-describedby={by}
        aria-invalid={fault ? true : undefined}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
      >
        {props.choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.text}
          </option>
        ))}
      </select>
    </div>
  );
}
