import type { Group, GroupMember } from "@fieldroll/core";
import type { Held } from "@fieldroll/sync";
import { useRecord, useSearch } from "@fieldroll/sync/react";
import type { ReactNode } from "react";
import { useFrame } from "../app/context.ts";
import { useRecordWithLast } from "../app/last.ts";
import { useNoProgramsText, useOfferedPrograms } from "../app/programs.ts";
import { useRights } from "../app/rights.ts";
import { isActiveMember } from "../model/household.ts";
import { addressLines, conceptText, homeAddress, nameText, personLine } from "../model/person-text.ts";
import { nameLoaded } from "../model/unknown.ts";
import { hrefOf } from "../route.ts";
import { texts } from "../texts.ts";
import { LinkButton } from "../ui/button.tsx";
import { EnrollmentItem } from "../ui/items.tsx";
import { LeftPage } from "../ui/leaving.tsx";
import { LoadingPage, MissingPage, Page, Section } from "../ui/page.tsx";
import { Standing } from "../ui/standing.tsx";
import { Summary } from "../ui/summary.tsx";
import { StateTag, Tag } from "../ui/tags.tsx";
import { Written, WrittenList } from "../ui/text.tsx";

/** One household: who lives there, where, and what it is enrolled in. */
export function HouseholdScreen(props: { readonly reference: string }): ReactNode {
  const { loaded, last } = useRecordWithLast("Group", props.reference);
  if (loaded.state === "loading") return <LoadingPage />;
  if (loaded.state === "failed" && last) return <LeftPage name={last.record.name} record={last.record} />;
  if (loaded.state === "failed")
    return <MissingPage reference={props.reference} kind={loaded.problem.kind} />;
  return <HouseholdPage held={loaded.value} />;
}

function HouseholdPage(props: { readonly held: Held<Group> }): ReactNode {
  const { record, reference, state } = props.held;
  const lines = addressLines(homeAddress(record.address));
  const { changesRecords } = useRights();
  return (
    <Page
      title={record.name}
      written
      caption={texts.household.groupTypes[record.groupType]}
      back={{ screen: "find" }}
    >
      <Standing reference={reference} state={state}>
        {!record.active && <Tag>{texts.household.archived}</Tag>}
      </Standing>
      <Section title={texts.household.members}>
        <Members group={record} reference={reference} />
        {changesRecords && (
          <LinkButton to={{ screen: "add-member", reference }} look="secondary">
            {texts.household.addMember}
          </LinkButton>
        )}
      </Section>
      <EnrollmentsSection reference={reference} />
      <Section title={texts.household.details}>
        <Summary
          rows={[
            [texts.household.name, <Written key="name">{record.name}</Written>],
            [
              texts.household.address,
              lines.length > 0 ? <WrittenList key="address" parts={lines} /> : texts.app.notGiven,
            ],
            [texts.household.identifier, record.identifier.map((item) => item.value).join(", ")],
          ]}
        />
        {changesRecords && (
          <LinkButton to={{ screen: "edit-household", reference }} look="secondary">
            {texts.household.editDetails}
          </LinkButton>
        )}
      </Section>
    </Page>
  );
}

function Members(props: { readonly group: Group; readonly reference: string }): ReactNode {
  const members = props.group.member ?? [];
  if (members.length === 0) return <p className="govuk-body">{texts.household.noMembers}</p>;
  return (
    <ul className="app-list">
      {members.map((member) => (
        <MemberItem key={member.entity.reference} member={member} household={props.reference} />
      ))}
    </ul>
  );
}

function MemberItem(props: { readonly member: GroupMember; readonly household: string }): ReactNode {
  const { today } = useFrame();
  const { changesRecords } = useRights();
  const { member, household } = props;
  const reference = member.entity.reference;
  const person = useRecord("Individual", reference);
  const record = person.state === "ready" ? person.value.record : undefined;
  const name = nameLoaded(person.state, record ? nameText(record.name) : member.entity.display, reference);
  const role = conceptText(member.role, texts.roles);
  const text = [role, record && personLine(record, today())].filter(Boolean).join(" · ");
  return (
    <li className="app-list__item app-row">
      <a className="app-list__link" href={hrefOf({ screen: "person", reference })}>
        <span className="app-list__title">
          <Written>{name}</Written>
        </span>
        <span className="app-list__text">{text}</span>
        {!isActiveMember(member, today()) && <Tag>{texts.household.left}</Tag>}
        {person.state === "ready" && person.value.state !== "synced" && (
          <StateTag state={person.value.state} />
        )}
      </a>
      {changesRecords && (
        <a
          className="govuk-link app-row__action"
          href={hrefOf({ screen: "member", reference: household, member: reference })}
          aria-label={texts.household.changeMember(name)}
        >
          {texts.app.change}
        </a>
      )}
    </li>
  );
}

/** What a household or person is enrolled in, and the way to enroll in more, as far as the person who is signed in may. */
export function EnrollmentsSection(props: { readonly reference: string }): ReactNode {
  const { reference } = props;
  const { seesPrograms, changesPrograms } = useRights();
  const memberships = useSearch("ProgramMembership", { beneficiary: reference, limit: "100" });
  const found = memberships.state === "ready" ? memberships.value.data : [];
  return (
    <Section title={texts.household.programs}>
      {!seesPrograms && <p className="govuk-body">{texts.rights.noPrograms}</p>}
      {seesPrograms && memberships.state === "ready" && found.length === 0 && (
        <p className="govuk-body">{texts.household.noPrograms}</p>
      )}
      <ul className="app-list">
        {found.map((held) => (
          <EnrollmentItem key={held.reference} held={held} />
        ))}
      </ul>
      {seesPrograms && !changesPrograms && <p className="govuk-hint">{texts.rights.noEnrolling}</p>}
      {seesPrograms && changesPrograms && <EnrollLink reference={reference} />}
    </Section>
  );
}

function EnrollLink(props: { readonly reference: string }): ReactNode {
  const { reference } = props;
  const offered = useOfferedPrograms(reference);
  const none = useNoProgramsText(texts.household.noMorePrograms);
  if (offered?.length === 0) return <p className="govuk-hint">{none}</p>;
  return (
    <LinkButton to={{ screen: "enroll", reference }} look="secondary">
      {texts.household.enroll}
    </LinkButton>
  );
}
