import type { Explanation } from "@fieldroll/sync";
import type { ReactNode } from "react";
import { useNames } from "../app/names.ts";
import { fieldLabel, valueText } from "../model/conflict-text.ts";
import { editedPlaces } from "../model/edited.ts";
import { referencesIn } from "../model/record-title.ts";
import { Written } from "./text.tsx";

/** What was changed here and is not sent, field by field; of what was made here nothing, for that is all of it. */
export function Edited(props: { readonly of: Pick<Explanation, "baseVersion" | "edits"> }): ReactNode {
  const { baseVersion, edits } = props.of;
  const places = baseVersion === null ? [] : editedPlaces(edits.map(({ patch }) => patch));
  const nameOf = useNames(referencesIn(places.map(({ value }) => value)));
  if (places.length === 0) return null;
  return (
    <ul className="govuk-list">
      {places.map(({ path, value }) => (
        <li key={path}>
          {fieldLabel(path)}: <Written>{valueText(path, value, nameOf)}</Written>
        </li>
      ))}
    </ul>
  );
}
