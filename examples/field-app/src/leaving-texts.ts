/** Texts of records that leave the device for their address; part of `texts`. */
export const leavingTexts = {
  title: "Is the address right?",
  nowhere: "no address",
  asked: (place: string, area: string) =>
    `Check the address (${place}). It is outside the area on this device, ${area}: once it is sent, this device can’t find, show or correct the record any more`,
  askedNew: (place: string, area: string) =>
    `Check the address (${place}). It is outside the area on this device, ${area}: other tablets of this area will not have the record`,
  agree: (place: string) => `Yes, ${place} is right`,
  saved: (done: string, place: string, area: string) =>
    `${done.replace(/\.$/, "")}. Once it is sent, this device has it no more: ${place} is outside its area, ${area}.`,
  savedNew: (done: string, place: string, area: string) =>
    `${done.replace(/\.$/, "")}. ${place} is outside the area on this device, ${area}: what others change there is fetched once a day, and when you press “Sync now”.`,
  left: (place: string, area: string) =>
    `Your change was sent. This record is in another area now (${place}), and this device only keeps those of ${area}. It is still registered: do not register it again.`,
  correct: "If the address is wrong, ask your office to correct it, or sign in with an area that has it.",
  gone: "This record is not on this device any more. It may have been archived, or have moved to another area.",
};

/** In the place of a name, by the kind of record. */
export const unknownTexts = {
  Individual: "A person who is not on this device",
  Group: "A household that is not on this device",
  Program: "A program that is not on this device",
  ProgramMembership: "An enrollment that is not on this device",
  otherwise: "A record that is not on this device",
} as { readonly otherwise: string } & Readonly<Record<string, string>>;
