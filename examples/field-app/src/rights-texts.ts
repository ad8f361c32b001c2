/** Texts for sign-ins that may not do all the work of the field; part of `texts`. */
export const rightsTexts = {
  readOnly: "This sign-in may read, not change. To register or correct somebody, ask your office.",
  recordsReadOnly:
    "This sign-in may read households and people, not change them. To register or correct somebody, ask your office.",
  unseen:
    "This sign-in may not see households and people, so none are downloaded. Ask your office for one that may.",
  noPrograms: "This sign-in may not see programs, or who is enrolled in them.",
  noEnrolling: "This sign-in may not enroll anybody in a program, or change an enrollment.",
  inVain:
    "This sign-in may not make this change. What you save here stays on this device and can’t be sent. Ask your office first.",
  withoutRight:
    "This sign-in may not make this change. Ask your office for the right to, then sign in again.",
  notSent: (done: string) =>
    `${done.replace(/\.$/, "")}. It can’t be sent: this sign-in may only read it. Ask your office.`,
  unsent:
    "This sign-in may not send changes. They stay on this device until your office gives it the right and you sign in again.",
  wait: "When this sign-in may make this change, and you have signed in again. Ask your office.",
};
