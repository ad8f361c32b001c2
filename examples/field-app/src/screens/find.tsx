import { useSearch } from "@fieldroll/sync/react";
import { type FormEvent, type ReactNode, useState } from "react";
import { useFrame } from "../app/context.ts";
import { useFound } from "../app/found.ts";
import { useRights } from "../app/rights.ts";
import { useUnfinished } from "../app/unfinished.ts";
import { lookedFor } from "../model/looked-for.ts";
import { limitText } from "../model/rights.ts";
import { texts } from "../texts.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { TextField } from "../ui/fields.tsx";
import { HouseholdItem, PersonItem } from "../ui/items.tsx";
import { Page, Section } from "../ui/page.tsx";

const firstPage = 20;

/** Finds households and people by words of the name or a whole identifier. */
export function FindScreen(): ReactNode {
  const { area } = useFrame();
  const rights = useRights();
  const limit = limitText(rights);
  const [typed, setTyped] = useState(() => new URLSearchParams(window.location.search).get("q") ?? "");
  const [term, setTerm] = useState("");
  const [shown, setShown] = useState(firstPage);
  const search = (event: FormEvent) => {
    event.preventDefault();
    setShown(firstPage);
    setTerm(lookedFor(typed) ? typed.trim() : "");
  };
  return (
    <Page title={texts.find.title}>
      {limit !== undefined && <p className="govuk-inset-text">{limit}</p>}
      <search>
        <form className="app-search" onSubmit={search}>
          <TextField
            field="search"
            label={texts.find.label}
            hint={texts.find.hint}
            value={typed}
            onChange={setTyped}
            input={{ type: "search", enterKeyHint: "search", autoCapitalize: "words" }}
          />
          <Button>{texts.find.submit}</Button>
        </form>
      </search>
      <p className="govuk-hint">{texts.find.area(area)}</p>
      {term ? (
        <Results term={term} limit={shown} onMore={() => setShown(shown + 50)} />
      ) : (
        <Recent limit={10} />
      )}
      {rights.changesRecords && (
        <LinkButton to={{ screen: "register" }} look="secondary">
          {texts.find.registerNew}
        </LinkButton>
      )}
    </Page>
  );
}

function Recent(props: { readonly limit: number }): ReactNode {
  const { today } = useFrame();
  const unfinished = useUnfinished();
  const newest = { _sort: "-_lastUpdated", limit: String(props.limit) };
  const groups = useSearch("Group", newest);
  const found = groups.state === "ready" ? groups.value.data : [];
  const isNone = groups.state === "ready" && found.length === 0;
  // A first download brings people before households.
  const people = useSearch("Individual", isNone ? newest : null);
  const persons = isNone && people.state === "ready" ? people.value.data : [];
  return (
    <Section title={texts.find.recent}>
      {isNone && <p className="govuk-body">{unfinished ? texts.find.notAll.records : texts.find.empty}</p>}
      {groups.state === "failed" && <p className="govuk-error-message">{groups.problem.detail}</p>}
      <ul className="app-list">
        {found.map((held) => (
          <HouseholdItem key={held.reference} held={held} today={today()} />
        ))}
        {persons.map((held) => (
          <PersonItem key={held.reference} held={held} today={today()} />
        ))}
      </ul>
    </Section>
  );
}

function Results(props: {
  readonly term: string;
  readonly limit: number;
  readonly onMore: () => void;
}): ReactNode {
  const { today, area } = useFrame();
  const unfinished = useUnfinished();
  const households = useFound("Group", props.term, props.limit);
  const people = useFound("Individual", props.term, props.limit);
  if (households.state === "loading" || people.state === "loading") {
    return <p className="govuk-body">{texts.app.loading}</p>;
  }
  return (
    <>
      <p className="govuk-visually-hidden" role="status">
        {texts.find.results(
          { count: households.found.length, more: households.more },
          { count: people.found.length, more: people.more },
        )}
      </p>
      <Section title={texts.find.households}>
        {households.found.length === 0 && (
          <p className="govuk-body">
            {unfinished ? texts.find.notAll.households : texts.find.noHouseholds(area)}
          </p>
        )}
        <ul className="app-list">
          {households.found.map((held) => (
            <HouseholdItem key={held.reference} held={held} today={today()} />
          ))}
        </ul>
      </Section>
      <Section title={texts.find.people}>
        {people.found.length === 0 && (
          <p className="govuk-body">{unfinished ? texts.find.notAll.people : texts.find.noPeople(area)}</p>
        )}
        <ul className="app-list">
          {people.found.map((held) => (
            <PersonItem key={held.reference} held={held} today={today()} />
          ))}
        </ul>
      </Section>
      {(households.found.length === 0 || people.found.length === 0) && !unfinished && (
        <p className="govuk-hint">{texts.find.consented}</p>
      )}
      {(households.more || people.more) && (
        <Button look="secondary" onClick={props.onMore}>
          {texts.find.more}
        </Button>
      )}
    </>
  );
}
