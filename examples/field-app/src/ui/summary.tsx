import type { ReactNode } from "react";

/** Names and values of one record. */
export function Summary(props: {
  readonly rows: readonly (readonly [name: string, value: ReactNode])[];
}): ReactNode {
  return (
    <dl className="govuk-summary-list">
      {props.rows.map(([name, value]) => (
        <div className="govuk-summary-list__row" key={name}>
          <dt className="govuk-summary-list__key">{name}</dt>
          <dd className="govuk-summary-list__value">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
