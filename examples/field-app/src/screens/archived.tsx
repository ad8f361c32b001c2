import type { Group, Individual } from "@fieldroll/core";
import type { ParkedRecord } from "@fieldroll/sync";
import type { ReactNode } from "react";
import { useFrame } from "../app/context.ts";
import { useHouseholdsNow } from "../app/households.ts";
import { useAlike } from "../app/similar.ts";
import { fieldLabel, type NameOf } from "../model/conflict-text.ts";
import { isActiveMember } from "../model/household.ts";
import { ownChanges } from "../model/own-changes.ts";
import { shownPlaces } from "../model/questions.ts";
import { nameOrKind } from "../model/unknown.ts";
import { hrefOf } from "../route.ts";
import { texts } from "../texts.ts";
import { HouseholdItem } from "../ui/items.tsx";
import { Section } from "../ui/page.tsx";
import { SimilarList } from "../ui/similar.tsx";
import { Written } from "../ui/text.tsx";
import { VersionValues } from "../ui/versions.tsx";

interface ArchivedProps {
  readonly parked: ParkedRecord;
  readonly nameOf: NameOf;
}

/**
 * Unsent changes of a record that is archived: what they are, and the record to make them in. They can't be sent from here, for
 * nobody would find them in the archived one.
 */
export function Archived(props: ArchivedProps): ReactNode {
  return (
    <>
      {props.parked.type === "Group" && <PeopleNow {...props} />}
      {props.parked.type === "Individual" && <PeopleAlike parked={props.parked} />}
      <Changes {...props} />
    </>
  );
}

/** The server does not say why a person was archived, nor which record is used instead: those who are alike may be it. */
function PeopleAlike({ parked }: Pick<ArchivedProps, "parked">): ReactNode {
  const { today } = useFrame();
  const { reference, ours } = parked;
  const alike = useAlike({ reference, person: ours as unknown as Individual }, today());
  const { archived } = texts.parked;
  if (!alike) return null;
  if (alike.length === 0) return <p className="govuk-body">{archived.noneAlike}</p>;
  return (
    <Section title={archived.alike}>
      <p className="govuk-body">{archived.alikeIntro}</p>
      <SimilarList similar={alike} />
    </Section>
  );
}

/** The server does not say which household it was merged into; those who lived in it tell. */
function PeopleNow({ parked, nameOf }: ArchivedProps): ReactNode {
  const { today } = useFrame();
  const { member = [] } = parked.ours as unknown as Group;
  const people = member.filter((each) => isActiveMember(each, today())).map(({ entity }) => entity.reference);
  const now = useHouseholdsNow(people, { today: today(), except: parked.reference });
  if (!now) return null;
  const { archived } = texts.parked;
  return (
    <Section title={archived.now}>
      <p className="govuk-body">{now.households.length > 0 ? archived.merged : archived.unknown}</p>
      <ul className="app-list">
        {now.households.map((held) => (
          <HouseholdItem key={held.reference} held={held} today={today()} />
        ))}
      </ul>
      {now.households.length > 0 && now.without.length > 0 && (
        <>
          <p className="govuk-body">{archived.without}</p>
          <ul className="govuk-list">
            {now.without.map((reference) => (
              <li key={reference}>
                <a className="govuk-link app-target" href={hrefOf({ screen: "person", reference })}>
                  <Written>{nameOrKind(nameOf(reference), reference)}</Written>
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

function Changes({ parked, nameOf }: ArchivedProps): ReactNode {
  const { type, base, ours } = parked;
  if (!base) return null;
  const places = shownPlaces(ownChanges(type, base, ours), { base, ours, theirs: null });
  return (
    <Section title={texts.parked.archived.changes}>
      {places.map((versions) => (
        <section className="app-choice" key={versions.path}>
          <h3 className="govuk-heading-s">{fieldLabel(versions.path)}</h3>
          <VersionValues versions={versions} nameOf={nameOf} withoutTheirs />
        </section>
      ))}
    </Section>
  );
}
