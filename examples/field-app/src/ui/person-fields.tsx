import type { FieldError } from "@fieldroll/core";
import { type ReactNode, useRef } from "react";
import type { Pictures } from "../app/pictures.ts";
import type { AddressValues } from "../model/address-form.ts";
import { countryChoices } from "../model/country.ts";
import { type PersonValues, phoneField } from "../model/person-form.ts";
import { texts } from "../texts.ts";
import { Button } from "./button.tsx";
import { DayField } from "./day-field.tsx";
import { controlId, ErrorMessage, faultOf } from "./faults.tsx";
import { type Choice, RadioField, SelectField, TextField } from "./fields.tsx";

interface PersonFieldsProps {
  readonly values: PersonValues;
  readonly onChange: (values: PersonValues) => void;
  readonly faults: readonly FieldError[];
  readonly pictures: Pictures;
  /** Goes before the names of the fields, where a form has several people. */
  readonly prefix?: string;
  /** Whether an identity number is asked for: of new people, and of those whom no other office has numbered. */
  readonly withNumber?: boolean;
  readonly withAddress?: boolean;
}

/** All fields of one person. */
export function PersonFields(props: PersonFieldsProps): ReactNode {
  const { values, faults, prefix = "" } = props;
  const set = (change: Partial<PersonValues>) => props.onChange({ ...values, ...change });
  const text = (field: "given" | "middle" | "family" | "phone" | "nationalId") => ({
    field: `${prefix}${field}`,
    value: values[field],
    onChange: (value: string) => set({ [field]: value }),
    faults,
  });
  return (
    <>
      <TextField {...text("given")} label={texts.person.given} input={{ autoCapitalize: "words" }} />
      <TextField
        {...text("middle")}
        label={texts.app.optional(texts.person.middle)}
        input={{ autoCapitalize: "words" }}
      />
      <TextField {...text("family")} label={texts.person.family} input={{ autoCapitalize: "words" }} />
      <BirthFields values={values} set={set} faults={faults} prefix={prefix} />
      <SelectField
        field={`${prefix}gender`}
        label={texts.app.optional(texts.person.gender)}
        value={values.gender}
        onChange={(gender) => set({ gender })}
        choices={genderChoices}
        faults={faults}
      />
      <TextField
        {...text("phone")}
        label={texts.app.optional(texts.person.phone)}
        hint={texts.person.phoneHint}
        className="govuk-input--width-20"
        input={{ type: "tel", inputMode: "tel", dir: "ltr" }}
      />
      {values.otherPhones?.map((phone, at) => (
        <TextField
          // biome-ignore lint/suspicious/noArrayIndexKey: A number is known by its place; it changes as it is typed.
          key={at}
          field={`${prefix}${phoneField(at + 1)}`}
          label={texts.person.otherPhone(at + 2)}
          hint={texts.person.otherPhoneHint}
          value={phone}
          onChange={(value) =>
            set({ otherPhones: values.otherPhones?.map((other, i) => (i === at ? value : other)) ?? [] })
          }
          faults={faults}
          className="govuk-input--width-20"
          input={{ type: "tel", inputMode: "tel", dir: "ltr" }}
        />
      ))}
      {props.withNumber && (
        <TextField
          {...text("nationalId")}
          label={texts.app.optional(texts.person.nationalId)}
          hint={texts.person.nationalIdHint}
          className="govuk-input--width-20"
          input={{ dir: "ltr" }}
        />
      )}
      <PhotoField
        photo={values.photo}
        onChange={(photo) => set({ photo })}
        faults={faults}
        field={`${prefix}photo`}
        pictures={props.pictures}
      />
      {props.withAddress && (
        <AddressFields
          values={values.address}
          onChange={(address) => set({ address })}
          faults={faults}
          prefix={prefix}
        />
      )}
    </>
  );
}

const genderChoices: readonly Choice[] = [
  { value: "", text: texts.app.notGiven },
  ...["2", "1", "9", "0"].map((code) => ({ value: code, text: texts.genders[code] ?? code })),
];

interface BirthFieldsProps {
  readonly values: PersonValues;
  readonly set: (change: Partial<PersonValues>) => void;
  readonly faults: readonly FieldError[];
  readonly prefix: string;
}

function BirthFields(props: BirthFieldsProps): ReactNode {
  const { values, set, faults, prefix } = props;
  return (
    <RadioField
      field={`${prefix}birthKind`}
      label={texts.person.birthKind}
      value={values.birthKind}
      onChange={(kind) => set({ birthKind: kind as PersonValues["birthKind"] })}
      choices={[
        { value: "exact", text: texts.person.exact, reveal: <ExactBirth {...props} /> },
        {
          value: "estimated",
          text: texts.person.estimated,
          reveal: (
            <TextField
              field={`${prefix}estimate`}
              label={texts.person.estimate}
              hint={texts.person.estimateHint}
              value={values.estimate}
              onChange={(estimate) => set({ estimate })}
              faults={faults}
              className="govuk-input--width-4"
              input={{ inputMode: "numeric" }}
            />
          ),
        },
        { value: "unknown", text: texts.person.unknown },
      ]}
    />
  );
}

function ExactBirth(props: BirthFieldsProps): ReactNode {
  const { values, set, prefix, faults } = props;
  return (
    <DayField
      fields={{ day: `${prefix}day`, month: `${prefix}month`, year: `${prefix}year` }}
      label={texts.person.birthDate}
      hint={texts.person.birthHint}
      values={values}
      onChange={set}
      faults={faults}
    />
  );
}

/** A picture from the camera or a file, shown as it will be kept. */
function PhotoField(props: {
  readonly photo: string;
  readonly onChange: (photo: string) => void;
  readonly faults: readonly FieldError[];
  readonly field: string;
  readonly pictures: Pictures;
}): ReactNode {
  const { photo, field, pictures } = props;
  const input = useRef<HTMLInputElement>(null);
  // What was typed while the picture was made smaller has to stay: it goes to the form as that is then.
  const change = useRef(props.onChange);
  change.current = props.onChange;
  const id = controlId(field);
  const unreadable = faultOf(pictures.faults, field);
  const known = faultOf(props.faults, field);
  // That a file can't be read is so no more once another was chosen.
  const fault = unreadable ?? (known === texts.person.photoUnreadable ? undefined : known);
  const take = (file: File | undefined) => {
    if (file) pictures.take(field, file, (taken) => change.current(taken));
  };
  const leaveOut = () => {
    pictures.drop(field);
    // So that the same file may be chosen again.
    if (input.current) input.current.value = "";
  };
  const remove = () => {
    leaveOut();
    props.onChange("");
  };
  return (
    <div className={fault ? "govuk-form-group govuk-form-group--error" : "govuk-form-group"}>
      <label className="govuk-label" htmlFor={id}>
        {texts.app.optional(texts.person.photo)}
      </label>
      <div className="govuk-hint" id={`${id}-hint`} aria-live="polite">
        {pictures.isPreparing(field) ? texts.person.photoPreparing : texts.person.photoHint}
      </div>
      {fault && <ErrorMessage id={`${id}-error`}>{fault}</ErrorMessage>}
      {photo && <img className="app-photo" src={photo} alt={texts.person.photo} />}
      <div className="app-photo-actions">
        <input
          className="govuk-file-upload"
          id={id}
          ref={input}
          type="file"
          accept="image/jpeg,image/png,image/webp"
          aria-describedby={fault ? `${id}-hint ${id}-error` : `${id}-hint`}
          onChange={(event) => take(event.target.files?.[0])}
        />
        {unreadable && (
          <Button look="secondary" onClick={leaveOut}>
            {texts.person.photoLeaveOut}
          </Button>
        )}
        {photo && (
          <Button look="secondary" onClick={remove}>
            {texts.person.photoRemove}
          </Button>
        )}
      </div>
    </div>
  );
}

/** An address of living. */
export function AddressFields(props: {
  readonly values: AddressValues;
  readonly onChange: (values: AddressValues) => void;
  readonly faults: readonly FieldError[];
  readonly prefix?: string;
}): ReactNode {
  const { values, faults, prefix = "" } = props;
  const text = (field: keyof AddressValues) => ({
    field: `${prefix}${field}`,
    value: values[field],
    onChange: (value: string) => props.onChange({ ...values, [field]: value }),
    faults,
  });
  return (
    <fieldset className="govuk-fieldset">
      <legend className="govuk-fieldset__legend govuk-fieldset__legend--m">{texts.address.legend}</legend>
      <TextField {...text("line")} label={texts.app.optional(texts.address.line)} />
      <TextField {...text("district")} label={texts.app.optional(texts.address.district)} />
      <TextField {...text("city")} label={texts.app.optional(texts.address.city)} />
      <TextField {...text("state")} label={texts.app.optional(texts.address.state)} />
      <div className="app-pair">
        <TextField
          {...text("postalCode")}
          label={texts.app.optional(texts.address.postalCode)}
          className="govuk-input--width-10"
        />
        <SelectField
          {...text("country")}
          label={texts.app.optional(texts.address.country)}
          choices={countryChoices(values.country)}
        />
      </div>
    </fieldset>
  );
}
