/** Texts of enrolling; part of `texts`. */
export const enrollTexts = {
  title: "Enroll in a program",
  which: "Which program?",
  missing: "Choose a program",
  nothing: {
    notYet: "No program is on this device yet: the download is not finished.",
    none: "No program was downloaded to this device. Ask your office.",
  },
  none: "There is no active program to enroll in. Programs this record is in already are not offered.",
  submit: "Enroll",
};

/** Texts of an enrollment; part of `texts`. */
export const enrollmentTexts = {
  kind: "Enrollment",
  in: (program: string) => `Enrollment in ${program}`,
  beneficiary: "Beneficiary",
  status: "Status",
  enrolledOn: "Enrolled on",
  exitedOn: "Left on",
  exitReason: "Reason for leaving",
  on: (status: string, day: string) => `${status} on ${day}`,
  next: "Change the status to",
  missingNext: "Choose the new status",
  missingReason: "Enter the reason for leaving",
  edit: "Correct the days",
  dayHint: "For example 27 3 2026",
  days: {
    empty: (label: string) => `${label}: enter the day`,
    incomplete: (label: string) => `${label}: enter the day, month and year`,
    unreal: (label: string) => `${label}: this must be a real date`,
    future: (label: string) => `${label}: this must not be in the future`,
    beforeProgram: (label: string, day: string) =>
      `${label}: this must not be before ${day}, the first day of the program`,
    tooEarly: (label: string, year: number) => `${label}: the year must be ${year} or later`,
  },
  ending: {
    title: "Does this enrollment end?",
    asked: (status: string) =>
      `Check the status: “${status}” ends this enrollment. This can’t be taken back here: to enroll again, your supervisor has to reopen it`,
    agree: "Yes, it ends",
  },
  final: "This enrollment has ended. To enroll again, ask your supervisor.",
  save: "Save the new status",
  statuses: {
    draft: "Draft",
    enrolled: "Enrolled",
    paused: "Paused",
    exited: "Left the program",
    not_eligible: "Not eligible",
    duplicated: "Duplicate",
  } as Record<string, string>,
};
