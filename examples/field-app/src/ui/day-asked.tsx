import type { FieldError } from "@fieldroll/core";
import type { ReactNode } from "react";
import { type DayAsked, dayField } from "../app/day.ts";
import { dayText } from "../model/person-text.ts";
import { texts } from "../texts.ts";
import { CheckboxField } from "./fields.tsx";

/** The box to tick before a date is saved that comes from a doubtful clock. */
export function DayAskedField(props: {
  readonly asked: DayAsked;
  readonly faults: readonly FieldError[];
}): ReactNode {
  const { day, agreed, agree } = props.asked;
  if (day === null) return null;
  return (
    <CheckboxField
      field={dayField}
      label={texts.day.title}
      values={agreed ? [day] : []}
      onChange={(values) => agree(values.length > 0)}
      choices={[{ value: day, text: texts.day.agree(dayText(day)) }]}
      faults={props.faults}
    />
  );
}
