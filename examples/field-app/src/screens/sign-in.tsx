import type { FieldClient } from "@fieldroll/sync";
import { useFieldClient, useSyncStatus } from "@fieldroll/sync/react";
import { type ReactNode, useState } from "react";
import type { Area } from "../app/areas.ts";
import { useFrame } from "../app/context.ts";
import { useForm } from "../app/form.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/faults.tsx";
import { SelectField, TextField } from "../ui/fields.tsx";
import { Page } from "../ui/page.tsx";

/** Signs in with a user name and a password; the first time also chooses what to download. */
export function SignInScreen(props: {
  readonly areas: readonly Area[];
  readonly area: string;
  /** Takes another area into use; answers with the client that follows it. */
  readonly onArea: (feed: string) => FieldClient;
}): ReactNode {
  const client = useFieldClient();
  const status = useSyncStatus();
  const { go } = useFrame();
  const [user, setUser] = useState(status.signedInAs ?? "");
  const [password, setPassword] = useState("");
  const [area, setArea] = useState(props.area);
  const form = useForm(async () => {
    const faults = [
      ...(user.trim() ? [] : [{ field: "user", code: "required", message: texts.signIn.missingUser }]),
      ...(password ? [] : [{ field: "password", code: "required", message: texts.signIn.missingPassword }]),
    ];
    if (faults.length > 0) return faults;
    // Another area starts another worker: once, when the choice is made, and not at every key of the list.
    const chosen = area === props.area ? client : props.onArea(area);
    const outcome = await chosen.signIn({ clientId: user.trim(), clientSecret: password });
    if (!outcome.ok) return [{ field: "", code: outcome.problem.kind, message: outcome.problem.detail }];
    const { restored, sealed } = outcome.value;
    const told = [
      ...(restored > 0 ? [texts.sync.restored(restored)] : []),
      ...(sealed > 0 ? [texts.sync.sealed(sealed)] : []),
    ];
    go({ screen: "find" }, told.join(" ") || undefined);
    return [];
  });
  return (
    <Page title={texts.signIn.title} faulty={form.faults.length > 0}>
      <ErrorSummary faults={form.faults} />
      <p className="govuk-body">{texts.signIn.intro}</p>
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
          input={{ type: "password", autoComplete: "current-password", maxLength: undefined }}
        />
        {props.areas.length > 0 && status.signedInAs === null && (
          <SelectField
            field="area"
            label={texts.signIn.area}
            hint={texts.signIn.areaHint}
            value={area}
            onChange={setArea}
            choices={[
              { value: "all", text: texts.signIn.allAreas },
              ...props.areas.map((area) => ({ value: area.feed, text: area.name })),
            ]}
          />
        )}
        <Button busy={form.busy}>{texts.signIn.submit}</Button>
      </form>
    </Page>
  );
}
