import type { Group, Individual, ProgramMembership } from "@fieldroll/core";
import type { Held } from "@fieldroll/sync";
import { useRecord } from "@fieldroll/sync/react";
import type { ReactNode } from "react";
import { isActiveMember } from "../model/household.ts";
import { nameText, personLine, placeText } from "../model/person-text.ts";
import { nameLoaded } from "../model/unknown.ts";
import { hrefOf, type Route, recordRoute } from "../route.ts";
import { texts } from "../texts.ts";
import { StateTag, Tag } from "./tags.tsx";
import { Written } from "./text.tsx";

/** One row of a list that leads to a record. */
export function Item(props: {
  readonly to: Route;
  readonly title: string;
  readonly text?: string;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <li className="app-list__item">
      <a className="app-list__link" href={hrefOf(props.to)}>
        <span className="app-list__title">
          <Written>{props.title}</Written>
        </span>
        {props.text && (
          <span className="app-list__text">
            <Written>{props.text}</Written>
          </span>
        )}
        {props.children}
      </a>
    </li>
  );
}

export function HouseholdItem(props: { readonly held: Held<Group>; readonly today: string }): ReactNode {
  const { record, reference, state } = props.held;
  const active = (record.member ?? []).filter((member) => isActiveMember(member, props.today));
  const place = placeText(record.address);
  const text = [texts.household.memberCount(active.length), place].filter(Boolean).join(" · ");
  return (
    <Item to={{ screen: "household", reference }} title={record.name} text={text}>
      {state !== "synced" && <StateTag state={state} />}
    </Item>
  );
}

export function PersonItem(props: { readonly held: Held<Individual>; readonly today: string }): ReactNode {
  const { record, reference, state } = props.held;
  const place = placeText(record.address);
  const text = [personLine(record, props.today), place].filter(Boolean).join(" · ");
  return (
    <Item to={{ screen: "person", reference }} title={nameText(record.name)} text={text}>
      {state !== "synced" && <StateTag state={state} />}
    </Item>
  );
}

const statusColours: Readonly<Record<string, string>> = {
  enrolled: "green",
  paused: "yellow",
  draft: "blue",
};

/** One enrollment of a household or person, named by its program. */
export function EnrollmentItem(props: { readonly held: Held<ProgramMembership> }): ReactNode {
  const { record, reference, state } = props.held;
  const program = useRecord("Program", record.program.reference);
  const name = program.state === "ready" ? program.value.record.name : record.program.display;
  return (
    <Item to={recordRoute(reference)} title={nameLoaded(program.state, name, record.program.reference)}>
      <Tag colour={statusColours[record.status] ?? "grey"}>
        {texts.enrollment.statuses[record.status] ?? record.status}
      </Tag>{" "}
      {state !== "synced" && <StateTag state={state} />}
    </Item>
  );
}
