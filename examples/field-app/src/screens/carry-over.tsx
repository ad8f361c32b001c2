import { useFieldClient, useSyncStatus } from "@fieldroll/sync/react";
import { type ReactNode, useState } from "react";
import { type FormState, useForm } from "../app/form.ts";
import { saveFile } from "../app/save-file.ts";
import { wholeFaults } from "../model/fault-fields.ts";
import { takenInText } from "../model/taken-in-text.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { ErrorMessage, ErrorSummary, faultOf } from "../ui/faults.tsx";
import { TextField } from "../ui/fields.tsx";

/** Unsent changes on their way to another tablet, when this one can't send them: into a file, and out of one. */
export function CarryOver(): ReactNode {
  const client = useFieldClient();
  const { signedInAs, pending, sending, parked } = useSyncStatus();
  const [passphrase, setPassphrase] = useState("");
  const [shown, setShown] = useState(false);
  const [file, setFile] = useState<File | null>(null);
  const [told, setTold] = useState("");
  const saving = useForm(async () => {
    setTold("");
    const outcome = await client.exportUnsent(passphrase);
    if (!outcome.ok) return wholeFaults(outcome.problem);
    saveFile("fieldroll-unsent.json", outcome.value.file);
    setTold(texts.sync.carry.saved(outcome.value.records));
    return [];
  });
  const loading = useForm(async () => {
    setTold("");
    if (!file) return [{ field: "file", code: "required", message: texts.sync.carry.missingFile }];
    const outcome = await client.importUnsent(await file.text(), passphrase);
    if (!outcome.ok) return wholeFaults(outcome.problem);
    setTold(takenInText(outcome.value));
    return [];
  });
  if (signedInAs === null) return null;
  // The same list while nothing changed: a new one takes the focus.
  const faults = saving.faults.length > 0 ? saving.faults : loading.faults;
  const only = (form: FormState, other: FormState) => () => {
    other.setFaults([]);
    form.submit();
  };
  return (
    <details className="govuk-details">
      <summary className="govuk-details__summary">
        <span className="govuk-details__summary-text">{texts.sync.carry.title}</span>
      </summary>
      <div className="govuk-details__text">
        <ErrorSummary faults={faults} />
        <p className="govuk-body">{texts.sync.carry.hint}</p>
        <TextField
          field="passphrase"
          label={texts.sync.carry.passphrase}
          hint={texts.sync.carry.passphraseHint}
          value={passphrase}
          onChange={setPassphrase}
          faults={faults}
          input={{ type: shown ? "text" : "password", autoComplete: "off" }}
        />
        <Button look="secondary" onClick={() => setShown(!shown)}>
          {shown ? texts.sync.carry.hide : texts.sync.carry.show}
        </Button>
        {pending + sending + parked > 0 && (
          <Button look="secondary" busy={saving.busy} onClick={only(saving, loading)}>
            {texts.sync.carry.save}
          </Button>
        )}
        <FileField faults={faults} onChange={setFile} />
        <Button look="secondary" busy={loading.busy} onClick={only(loading, saving)}>
          {texts.sync.carry.load}
        </Button>
        <p className="govuk-body" role="status">
          {told}
        </p>
      </div>
    </details>
  );
}

function FileField(props: {
  readonly faults: FormState["faults"];
  readonly onChange: (file: File | null) => void;
}): ReactNode {
  const fault = faultOf(props.faults, "file");
  return (
    <div className={fault ? "govuk-form-group govuk-form-group--error" : "govuk-form-group"}>
      <label className="govuk-label" htmlFor="field-file">
        {texts.sync.carry.file}
      </label>
      {fault && <ErrorMessage id="field-file-error">{fault}</ErrorMessage>}
      <input
        id="field-file"
        type="file"
        accept="application/json,.json"
        className="govuk-file-upload"
        aria-describedby={fault ? "field-file-error" : undefined}
        onChange={(event) => props.onChange(event.target.files?.[0] ?? null)}
      />
    </div>
  );
}
