/** Texts of a network that stands between this device and its server; part of `texts`. */
export const networkTexts = {
  portal: "This network may ask you to sign in first.",
  open: "Open the network’s sign-in page",
};

/** Texts of a day that the device may have wrong; part of `texts`. */
export const dayTexts = {
  title: "Is this day right?",
  asked: (day: string) =>
    `The clock of this device may be wrong, and this form would save ${day} as today. Tick the box if that is right, or set the date in the device’s settings`,
  agree: (day: string) => `Yes, today is ${day}`,
};

/** Texts of a person who is in more than one household; part of `texts`. */
export const householdsTexts = {
  several: (name: string, households: string) =>
    `${name} is a member of ${households}. If that is a mistake, open the household that they left and press “Change” beside ${name}.`,
  and: (some: string, last: string) => `${some} and ${last}`,
  other: (name: string, here: string, there: string) =>
    `You put ${name} into ${here}, and the server has them in ${there}. A person belongs to one household.`,
  decide: (there: string) =>
    `Decide which is right: give up your change, or take the person out of ${there}; then this is sent.`,
};
