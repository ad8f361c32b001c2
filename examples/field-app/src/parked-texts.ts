/** Texts of the records that wait for a decision, and of deciding; part of `texts`. */
export const parkedTexts = {
  /** What was done, by the kind of decision. */
  done: {
    choose: "Your choice is saved on this device",
    adopt: "Your choice is saved on this device",
    retry: "It will be sent again",
    discard: "Your changes were given up",
  },
  titles: {
    conflict: "Two people changed this record",
    rejected: "The server did not accept this record",
    duplicate: "This record is already registered",
    forbidden: "You may not make this change",
    gone: "This record is not on the server any more",
    archived: "This record was archived",
  },
  intros: {
    conflict: "For each field, choose which value is right. All other changes of both are kept.",
    rejected:
      "Press “Edit the record” to correct what the server did not accept and save it, or give up your changes.",
    duplicate: "Another record seems to be the same. Look at both before you decide.",
    forbidden: "Ask your supervisor to make this change, or give up your changes.",
    gone: "It was removed, or moved to another area. Your changes are still on this device.",
    archived:
      "Your office archived it on the server. Your changes were not sent: nobody would find them there. They are still on this device.",
  },
  reasons: {
    conflict: "Changed by two people",
    rejected: "Not accepted",
    duplicate: "Already registered",
    forbidden: "Not allowed",
    gone: "Gone from the server",
    archived: "Archived",
  },
  /** What is not asked about, by the kind of record. */
  lists: {
    Individual:
      "Of phone numbers and other lists, what each of you wrote stays. If one of them is wrong, edit the person afterwards.",
    Group:
      "Of members and other lists, what each of you added stays. If one of them is wrong, edit the household afterwards.",
  } as Readonly<Record<string, string>>,
  /** Of a record that was archived. */
  archived: {
    alike: "Who may be the same person",
    alikeIntro:
      "The server does not say why. If it is one of these people, open the record and make your changes there, then give them up here. Else ask your office.",
    noneAlike:
      "The server does not say why, and nobody on this device looks alike. Ask your office whether the person has another record.",
    now: "Where its people are now",
    merged:
      "Its people are in another household now. Open it, make your changes there, then give them up here.",
    unknown: "None of its people is in another household on this device. Ask your office where they are now.",
    without: "These are in no other household on this device. Open the other household to add them there:",
    changes: "What you changed",
  },
  base: "Before",
  ours: "Yours",
  theirs: "Theirs",
  /** Of a duplicate there are no two versions, but two records. */
  other: "The other record",
  written: (at: string, by: string) => `The other version was saved on ${at} by ${by}.`,
  writtenOther: (at: string, by: string) => `The other record was saved on ${at} by ${by}.`,
  chooseOurs: "Keep yours",
  chooseTheirs: "Take theirs",
  chooseOther: "Take the other record’s",
  ofMember: (field: string, name: string) => `${field} (${name})`,
  ofMembers: (names: readonly string[]) => `Members (${names.join(", ")})`,
  missingChoice: (field: string) => `Choose a value for: ${field}`,
  news: (fields: readonly string[]) =>
    fields.length > 0
      ? `This record changed while this screen was open. Look again at: ${fields.join(", ")}. Choices of other fields stay.`
      : "This record changed while this screen was open. Less is left to decide.",
  newValues: "These values are new since this screen was opened.",
  submit: "Save these choices",
  adopt: "They are the same: bring them together",
  adoptIntro: "If it is the same, your record becomes the registered one.",
  adoptAdds: "What only yours says is added to it.",
  adoptAddsAndAsks: "What only yours says is added to it, and where both say something else you choose.",
  same: "There is nothing to compare: both say the same, apart from their identifiers.",
  apart: "They are not the same",
  apartNumber:
    "Then one of the two identity numbers is wrong. Edit the record where it is yours. Where it is the other one, ask your office to correct that, then send yours again.",
  apartOffice: "Ask your office to look at both first. Sent again before, yours may be refused again.",
  since: "Waiting since",
  serverSays: "The server says",
  openExisting: "Open the registered record",
  retry: "Send again as it is",
  edit: "Edit the record",
  discard: "Give up my changes",
  discardSure: "Give up your changes of this record? They can’t be brought back.",
  discardYes: "Yes, give up my changes",
  usedBy: "These use it, and can’t be sent without it. Take it out of them, or give them up first:",
  giveUp: "Give up this registration",
  giveUpSure: (people: number, enrollments: number) =>
    `Give up this registration? It was never sent, and can’t be brought back.${withIt(people, enrollments)}`,
  giveUpYes: "Yes, give it up",
  givenUp: (stay: number) =>
    stay === 0
      ? "The registration was given up."
      : `The registration was given up. ${stay === 1 ? "1 person stays" : `${stay} people stay`}, whom something else uses.`,
  nothingLeft: "This registration was given up. Nothing of it is left on this device.",
  changesGivenUp: "Your changes were given up.",
  noLonger: "This record does not need a decision any more.",
};

/** What goes with a registration that is given up. */
function withIt(people: number, enrollments: number): string {
  const parts = [
    people > 0 && (people === 1 ? "1 person" : `${people} people`),
    enrollments > 0 && (enrollments === 1 ? "1 enrollment" : `${enrollments} enrollments`),
  ].filter((part) => part !== false);
  return parts.length > 0 ? ` With it go ${parts.join(" and ")} that were not sent either.` : "";
}
