import type { Individual } from "@fieldroll/core";
import type { Held } from "@fieldroll/sync";
import { useSearch } from "@fieldroll/sync/react";
import type { ReactNode } from "react";
import { useFrame } from "../app/context.ts";
import { useRecordWithLast } from "../app/last.ts";
import { useRights } from "../app/rights.ts";
import { livedIn, severalText } from "../model/households-text.ts";
import {
  addressLines,
  ageText,
  birthText,
  conceptText,
  homeAddress,
  nameText,
  phonesOf,
} from "../model/person-text.ts";
import { texts } from "../texts.ts";
import { LinkButton } from "../ui/button.tsx";
import { HouseholdItem } from "../ui/items.tsx";
import { LeftPage } from "../ui/leaving.tsx";
import { LoadingPage, MissingPage, Page, Section } from "../ui/page.tsx";
import { Standing } from "../ui/standing.tsx";
import { Summary } from "../ui/summary.tsx";
import { Tag } from "../ui/tags.tsx";
import { Written, WrittenList } from "../ui/text.tsx";
import { EnrollmentsSection } from "./household.tsx";

/** One person: what is known, the households and the programs. */
export function PersonScreen(props: { readonly reference: string }): ReactNode {
  const { loaded, last } = useRecordWithLast("Individual", props.reference);
  if (loaded.state === "loading") return <LoadingPage />;
  if (loaded.state === "failed" && last)
    return <LeftPage name={nameText(last.record.name)} record={last.record} />;
  if (loaded.state === "failed")
    return <MissingPage reference={props.reference} kind={loaded.problem.kind} />;
  return <PersonPage held={loaded.value} />;
}

function PersonPage(props: { readonly held: Held<Individual> }): ReactNode {
  const { record, reference, state } = props.held;
  const name = nameText(record.name);
  const { changesRecords } = useRights();
  return (
    <Page title={name} written caption={texts.person.kind} back={{ screen: "find" }}>
      <Standing reference={reference} state={state}>
        {!record.active && <Tag>{texts.household.archived}</Tag>}
      </Standing>
      <Section title={texts.person.details}>
        {record.photo && <img className="app-photo" src={record.photo} alt={texts.person.photoAlt(name)} />}
        <PersonSummary person={record} />
        {changesRecords && (
          <LinkButton to={{ screen: "edit-person", reference }} look="secondary">
            {texts.person.editDetails}
          </LinkButton>
        )}
      </Section>
      <Households reference={reference} name={name} />
      <EnrollmentsSection reference={reference} />
    </Page>
  );
}

function PersonSummary(props: { readonly person: Individual }): ReactNode {
  const { today } = useFrame();
  const { person } = props;
  const phones = phonesOf(person.telecom).map(({ value }) => value);
  const address = addressLines(homeAddress(person.address));
  const birth = person.birthDate
    ? `${birthText(person)} (${ageText(person, today())}${person.birthDateEstimated ? `, ${texts.person.estimatedMark}` : ""})`
    : texts.app.notGiven;
  return (
    <Summary
      rows={[
        [texts.person.given, <Written key="given">{person.name.given ?? texts.app.notGiven}</Written>],
        ...(person.name.middle
          ? [[texts.person.middle, <Written key="middle">{person.name.middle}</Written>] as const]
          : []),
        [texts.person.family, <Written key="family">{person.name.family ?? texts.app.notGiven}</Written>],
        [texts.person.birth, birth],
        [texts.person.gender, conceptText(person.gender, texts.genders)],
        [texts.person.phone, phones.length > 0 ? <Phones key="phone" phones={phones} /> : texts.app.notGiven],
        [
          texts.person.address,
          address.length > 0 ? <WrittenList key="address" parts={address} /> : texts.app.notGiven,
        ],
        [texts.person.identifier, person.identifier.map((item) => item.value).join(", ")],
      ]}
    />
  );
}

/** Each number from left to right, whatever is written around it. */
function Phones(props: { readonly phones: readonly string[] }): ReactNode {
  return (
    <ul className="govuk-list">
      {props.phones.map((phone) => (
        <li key={phone}>
          <bdi dir="ltr">{phone}</bdi>
        </li>
      ))}
    </ul>
  );
}

function Households(props: { readonly reference: string; readonly name: string }): ReactNode {
  const { today } = useFrame();
  const groups = useSearch("Group", { member: props.reference, limit: "20" });
  const found = groups.state === "ready" ? groups.value.data : [];
  const several = severalText(props.name, livedIn(props.reference, found, today()));
  return (
    <Section title={texts.person.households}>
      {several && <p className="govuk-inset-text">{several}</p>}
      {groups.state === "ready" && found.length === 0 && (
        <p className="govuk-body">{texts.person.noHouseholds}</p>
      )}
      <ul className="app-list">
        {found.map((held) => (
          <HouseholdItem key={held.reference} held={held} today={today()} />
        ))}
      </ul>
    </Section>
  );
}
