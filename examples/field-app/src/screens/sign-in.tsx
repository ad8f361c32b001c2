import type { FieldError } from "@fieldroll/core";
import type { FieldClient, SignedIn } from "@fieldroll/sync";
import { useSyncStatus } from "@fieldroll/sync/react";
import { type ReactNode, useEffect, useState } from "react";
import { type Area, areaName } from "../app/areas.ts";
import { type Telling, useFrame } from "../app/context.ts";
import { useForm } from "../app/form.ts";
import { restoredText } from "../model/pause-text.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/faults.tsx";
import { SelectField, TextField } from "../ui/fields.tsx";
import { Page } from "../ui/page.tsx";
import { SealedNotice } from "../ui/sealed.tsx";

/** Signs in with a user name and a password; who is not signed in also chooses what to download. */
export function SignInScreen(props: {
  readonly areas: readonly Area[];
  /** The feed that this device follows. */
  readonly area: string;
  /** Which feed is offered to a person. */
  readonly areaOf: (person: string) => Promise<string>;
  /** Takes a feed into use as a person's choice, or without one; answers with the client that follows it. */
  readonly onArea: (feed: string, person: string | null) => Promise<FieldClient>;
  /** Who was signed in when the browser deleted the data of this site; `null` where it did not. */
  readonly cleared: string | null;
}): ReactNode {
  const status = useSyncStatus();
  const { go } = useFrame();
  const before = status.signedInAs ?? props.cleared;
  const [user, setUser] = useState(before ?? "");
  const [password, setPassword] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const person = user.trim();
  const offered = useOffered(props.areaOf, person);
  const again = person === before;
  const form = useForm(async () => {
    const faults = missing(person, password);
    if (faults.length > 0) return faults;
    // Another area starts another worker: once, when the choice is made, and not at every key of the list.
    const area = again ? props.area : (chosen ?? (await props.areaOf(person)));
    const client = await props.onArea(area, person);
    const outcome = await client.signIn({ clientId: person, clientSecret: password });
    if (!outcome.ok) {
      // Whoever is signed in stays so, in their own area.
      if (area !== props.area) await props.onArea(props.area, null);
      const { kind, detail } = outcome.problem;
      const message = kind === "unavailable" && !navigator.onLine ? texts.signIn.offline : detail;
      return [{ field: "", code: kind, message }];
    }
    go({ screen: "find" }, moved(outcome.value));
    return [];
  });
  return (
    <Page title={texts.signIn.title} faulty={form.faults.length > 0}>
      <ErrorSummary faults={form.faults} />
      {props.cleared !== null && <p className="govuk-inset-text">{texts.signIn.cleared}</p>}
      <p className="govuk-body">{texts.signIn.intro}</p>
      <SealedNotice />
      <form onSubmit={form.submit} noValidate>
        <TextField
          field="user"
          label={texts.signIn.user}
          value={user}
          onChange={setUser}
          faults={form.faults}
          className="govuk-input--width-20"
          input={{ autoComplete: "username", autoCapitalize: "none", spellCheck: false }}
        />
        <TextField
          field="password"
          label={texts.signIn.password}
          value={password}
          onChange={setPassword}
          faults={form.faults}
          className="govuk-input--width-20"
          input={{ type: "password", autoComplete: "current-password" }}
        />
        {props.areas.length > 0 && !again && (
          <SelectField
            field="area"
            label={texts.signIn.area}
            hint={texts.signIn.areaHint}
            value={chosen ?? offered}
            onChange={setChosen}
            choices={areaChoices(props.areas, offered)}
          />
        )}
        <Button busy={form.busy}>{texts.signIn.submit}</Button>
      </form>
    </Page>
  );
}

function missing(person: string, password: string): readonly FieldError[] {
  return [
    ...(person ? [] : [{ field: "user", code: "required", message: texts.signIn.missingUser }]),
    ...(password ? [] : [{ field: "password", code: "required", message: texts.signIn.missingPassword }]),
  ];
}

/** What the sign-in brought back, as long as it is not sent, and put away, if anything. */
function moved({ restored, sealed }: SignedIn): Telling {
  return (status) => {
    const told = [
      restored > 0 ? restoredText(status) : undefined,
      sealed > 0 ? texts.sync.sealed(sealed) : undefined,
    ];
    return told.filter(Boolean).join(" ") || undefined;
  };
}

/** The feed that a person is offered: her own, as soon as her name is typed. */
function useOffered(areaOf: (person: string) => Promise<string>, person: string): string {
  const [offered, setOffered] = useState("all");
  useEffect(() => {
    let current = true;
    void areaOf(person).then((feed) => {
      if (current) setOffered(feed);
    });
    return () => {
      current = false;
    };
  }, [areaOf, person]);
  return offered;
}

/** All areas, each of the list, and what is offered where the list has it not. */
function areaChoices(areas: readonly Area[], offered: string) {
  const feeds = new Set(["all", ...areas.map(({ feed }) => feed), offered]);
  return [...feeds].map((feed) => ({ value: feed, text: areaName(feed, areas) ?? texts.signIn.allAreas }));
}
