import type { FieldError } from "@fieldroll/core";
import type { ReactNode } from "react";
import { useFrame } from "../app/context.ts";
import { type Leaving, leavingField } from "../app/leaving.ts";
import { isInArea, type Placed, placeOf } from "../model/area.ts";
import { texts } from "../texts.ts";
import { CheckboxField } from "./fields.tsx";
import { Page } from "./page.tsx";

/** The box to tick before a record is saved that leaves the device by it. Ticking is not the same tap again as saving. */
export function LeavingField(props: {
  readonly leaving: Leaving;
  readonly faults: readonly FieldError[];
}): ReactNode {
  const { place, agreed, agree } = props.leaving;
  if (place === null) return null;
  return (
    <CheckboxField
      field={leavingField}
      label={texts.leaving.title}
      values={agreed ? [place] : []}
      onChange={(values) => agree(values.length > 0)}
      choices={[{ value: place, text: texts.leaving.agree(place) }]}
      faults={props.faults}
    />
  );
}

/** In the place of a record that left the device while it was shown. */
export function LeftPage(props: { readonly name: string; readonly record: Placed }): ReactNode {
  const { feed, area } = useFrame();
  const { name, record } = props;
  const isElsewhere = area !== null && !isInArea(record, feed);
  return (
    <Page title={name} written back={{ screen: "find" }}>
      <p className="govuk-body">
        {isElsewhere ? texts.leaving.left(placeOf(record.address), area) : texts.leaving.gone}
      </p>
      {isElsewhere && <p className="govuk-body">{texts.leaving.correct}</p>}
    </Page>
  );
}
