import type { ReactNode } from "react";
import { type NameOf, valueText } from "../model/conflict-text.ts";
import type { Versions } from "../model/questions.ts";
import { texts } from "../texts.ts";
import { Written } from "./text.tsx";

/** Base, ours and theirs side by side, in words. */
export function VersionValues(props: {
  readonly versions: Versions;
  readonly nameOf?: NameOf;
  /** Two records that have nothing in common before have no base. */
  readonly withoutBase?: boolean;
  /** What the other side is called, where it is no other version of the same record. */
  readonly theirs?: string;
  /** Where nobody else wrote anything. */
  readonly withoutTheirs?: boolean;
}): ReactNode {
  const { path, base, ours, theirs } = props.versions;
  const cells = [
    ...(props.withoutBase ? [] : ([["base", texts.parked.base, base]] as const)),
    ["ours", texts.parked.ours, ours],
    ...(props.withoutTheirs ? [] : ([["theirs", props.theirs ?? texts.parked.theirs, theirs]] as const)),
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
