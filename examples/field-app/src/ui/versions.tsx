import type { ReactNode } from "react";
import { fieldLabel, type NameOf, valueText } from "../model/conflict-text.ts";
import { texts } from "../texts.ts";
import { Written } from "./text.tsx";

/** Three values of one place in a record. */
export interface Versions {
  readonly path: string;
  readonly base?: unknown;
  readonly ours?: unknown;
  readonly theirs?: unknown;
}

/** Base, ours and theirs side by side, in words. */
export function VersionValues(props: {
  readonly versions: Versions;
  readonly nameOf?: NameOf;
  /** Two records that have nothing in common before have no base. */
  readonly withoutBase?: boolean;
}): ReactNode {
  const { path, base, ours, theirs } = props.versions;
  const cells = [
    ...(props.withoutBase ? [] : ([["base", texts.parked.base, base]] as const)),
    ["ours", texts.parked.ours, ours],
    ["theirs", texts.parked.theirs, theirs],
  ] as const;
  return (
    <dl className="app-choice__values">
      {cells.map(([side, label, value]) => (
        <div className={`app-choice__value app-choice__value--${side}`} key={side}>
          <dt>{label}</dt>
          <dd>
            {isPhoto(value) ? (
              <img className="app-photo" src={value} alt={label} />
            ) : (
              <Written>{valueText(path, value, props.nameOf)}</Written>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function isPhoto(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("data:image/");
}

/** Tells that a save was refused because someone else changed the same fields, with all three values. */
export function ChangedMeanwhile(props: {
  readonly changes: readonly Versions[];
  readonly nameOf?: NameOf;
}): ReactNode {
  if (props.changes.length === 0) return null;
  return (
    <div className="govuk-error-summary" role="alert" aria-labelledby="changed-meanwhile">
      <h2 className="govuk-error-summary__title" id="changed-meanwhile">
        {texts.changedMeanwhile.title}
      </h2>
      <p className="govuk-body">{texts.changedMeanwhile.explain}</p>
      {props.changes.map((change) => (
        <section key={change.path}>
          <h3 className="govuk-heading-s">{fieldLabel(change.path)}</h3>
          <VersionValues versions={change} {...(props.nameOf && { nameOf: props.nameOf })} />
        </section>
      ))}
    </div>
  );
}
