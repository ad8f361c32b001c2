import type { FieldError } from "@fieldroll/core";
import type { ReactNode } from "react";
import { type Ending, endingField } from "../app/ending.ts";
import { texts } from "../texts.ts";
import { CheckboxField } from "./fields.tsx";

/** The box to tick before an enrollment ends for good. Ticking is not the same tap again as saving. */
export function EndingField(props: {
  readonly ending: Ending;
  readonly faults: readonly FieldError[];
}): ReactNode {
  const { isAsked, agreed, agree } = props.ending;
  if (!isAsked) return null;
  const { title, agree: text } = texts.enrollment.ending;
  return (
    <CheckboxField
      field={endingField}
      label={title}
      values={agreed ? [endingField] : []}
      onChange={(values) => agree(values.length > 0)}
      choices={[{ value: endingField, text }]}
      faults={props.faults}
    />
  );
}
