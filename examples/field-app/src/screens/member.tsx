import type { FieldError, Group, GroupMember } from "@fieldroll/core";
import type { Held } from "@fieldroll/sync";
import { useFieldClient, useRecord } from "@fieldroll/sync/react";
import type { ReactNode } from "react";
import { useFrame } from "../app/context.ts";
import { useDay } from "../app/day.ts";
import { useForm } from "../app/form.ts";
import { useSave } from "../app/save.ts";
import { useOnce } from "../app/use-once.ts";
import { hasHead, isActiveMember, roleConcept, withChangedMember } from "../model/household.ts";
import { codeOf, nameText } from "../model/person-text.ts";
import { nameLoaded } from "../model/unknown.ts";
import { texts } from "../texts.ts";
import { DayAskedField } from "../ui/day-asked.tsx";
import { type Draft, Drafted } from "../ui/draft.tsx";
import { EditForm } from "../ui/edit-form.tsx";
import { type Choice, RadioField, SelectField } from "../ui/fields.tsx";
import { LoadingPage, MissingPage, Page } from "../ui/page.tsx";

/** The roles to choose from; the empty entry asks for one. */
export const roleChoices: readonly Choice[] = [
  { value: "", text: "" },
  ...Object.entries(texts.roles).map(([value, text]) => ({ value, text })),
];

/** Changes one member's role, or marks that the person has left. */
export function MemberScreen(props: { readonly reference: string; readonly member: string }): ReactNode {
  const loaded = useRecord("Group", props.reference);
  const opened = useOnce(loaded.state === "ready" ? loaded.value : undefined);
  if (loaded.state === "failed")
    return <MissingPage reference={props.reference} kind={loaded.problem.kind} />;
  if (!opened) return <LoadingPage />;
  const member = opened.record.member?.find((item) => item.entity.reference === props.member);
  if (!member) return <MissingPage reference={props.reference} kind="not-found" />;
  // What was typed earlier is judged by the household as it is now, whose head may be another one by now.
  const now = loaded.state === "ready" ? loaded.value.record : opened.record;
  return <ChangedMember opened={opened} member={member} now={now} />;
}

interface MemberValues {
  /** The household as the form was filled from it. */
  readonly seen: Group;
  readonly role: string;
  readonly standing: string;
}

interface ChangeProps {
  readonly opened: Held<Group>;
  readonly member: GroupMember;
  /** The household as it is now. */
  readonly now: Group;
}

function ChangedMember(props: ChangeProps): ReactNode {
  const { opened, member } = props;
  const { today } = useFrame();
  const fresh = (): MemberValues => ({
    seen: opened.record,
    role: codeOf(member.role) ?? "",
    standing: isActiveMember(member, today()) ? "staying" : "leaving",
  });
  return (
    <Drafted form={`member ${member.entity.reference} of ${opened.reference}`} fresh={fresh}>
      {(draft) => <ChangeMember {...props} draft={draft} />}
    </Drafted>
  );
}

/** The member as the form says: a day of leaving, or back in the household. */
function changed(member: GroupMember, change: { role: string; gone: boolean; today: string }): GroupMember {
  const { inactive: _, period, ...kept } = member;
  const { end: __, ...started } = period ?? {};
  const role = change.role ? { role: roleConcept(change.role, texts.roles) } : {};
  if (change.gone) return { ...kept, ...role, inactive: true, period: { ...started, end: change.today } };
  return { ...kept, ...role, ...(started.start && { period: started }) };
}

function ChangeMember(props: ChangeProps & { readonly draft: Draft<MemberValues> }): ReactNode {
  const { member, now, draft } = props;
  const { seen, role, standing } = draft.values;
  const opened = { ...props.opened, record: seen };
  const { reference } = opened;
  const client = useFieldClient();
  const { go, today } = useFrame();
  const person = useRecord("Individual", member.entity.reference);
  const saving = useSave(client.groups, opened, () => "");
  const day = useDay();
  const known = person.state === "ready" ? nameText(person.value.record.name) : member.entity.display;
  const name = nameLoaded(person.state, known, member.entity.reference);
  const form = useForm(async () => {
    const staying = standing === "staying";
    if (!role) return [{ field: "role", code: "required", message: texts.member.missingRole }];
    if (staying && role === "head" && hasHead(now, today(), member.entity.reference)) {
      return [{ field: "role", code: "head", message: texts.register.twoHeads }];
    }
    const asked = staying ? [] : day.faults();
    if (asked.length > 0) return asked;
    const next = withChangedMember(saving.seen, member.entity.reference, (item) => {
      const same = codeOf(item.role) === role && isActiveMember(item, today()) === staying;
      return same ? item : changed(item, { role, gone: !staying, today: today() });
    });
    const result = await saving.save(next);
    if (!result.saved) return result.faults;
    draft.forget();
    go({ screen: "household", reference }, texts.app.success);
    return [];
  });
  return (
    <Page
      title={texts.member.changeTitle}
      caption={name}
      back={{ screen: "household", reference }}
      faulty={form.faults.length > 0}
    >
      <EditForm
        form={form}
        changes={saving.changes}
        nameOf={() => name}
        draft={draft}
        save={texts.app.save}
        cancel={{ screen: "household", reference }}
      >
        <MemberFields draft={draft} faults={form.faults} />
        <DayAskedField asked={day} faults={form.faults} />
      </EditForm>
    </Page>
  );
}

function MemberFields(props: {
  readonly draft: Draft<MemberValues>;
  readonly faults: readonly FieldError[];
}): ReactNode {
  const { draft, faults } = props;
  const { role, standing } = draft.values;
  return (
    <>
      <SelectField
        field="role"
        label={texts.member.role}
        value={role}
        onChange={(chosen) => draft.set({ ...draft.values, role: chosen })}
        choices={roleChoices}
        faults={faults}
      />
      <RadioField
        field="standing"
        label={texts.member.standing}
        value={standing}
        onChange={(chosen) => draft.set({ ...draft.values, standing: chosen })}
        choices={[
          { value: "staying", text: texts.member.staying },
          { value: "leaving", text: texts.member.leaving },
        ]}
      />
    </>
  );
}
