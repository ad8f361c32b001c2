/** Texts of the sync screen and of signing in and out; part of `texts`. */
export const syncTexts = {
  title: "Sync",
  now: "Sync now",
  pause: "Pause",
  resume: "Go on",
  pausedHint: "Nothing is sent or received until you go on. Your changes stay on this device.",
  photos: "Photos still to be sent",
  phase: "Right now",
  phases: {
    stopped: "Stopped",
    "signed-out": "Signed out",
    paused: "Paused",
    offline: "Offline",
    idle: "Nothing to do",
    pulling: "Receiving changes",
    pushing: "Sending your changes",
    waiting: "Waiting to try again",
    "safe-mode": "Saving is not possible here",
  },
  /** Where all that is left waits for a record that needs a decision. */
  held: "Waiting for your decision",
  heldUntil: "After your decision: see “Needs your decision” above",
  pending: "Waiting to be sent",
  sending: "Being sent",
  unanswered: "Waiting for an answer",
  parked: "Need your decision",
  sendAgain: (count: number) => (count > 1 ? `Send all ${count} refused records again` : "Send it again"),
  awaitingConsent: (count: number, since: string) =>
    `${count === 1 ? "1 record has changes" : `${count} records have changes`} that the server lost when it was restored, the oldest from ${since}. They are sent again when the server shows you the whole record, as a consent may allow; until then they are kept here, for 90 days. Ask your office.`,
  firstSync: "First download",
  complete: "Complete",
  running: (records: number) => `${records.toLocaleString("en")} records so far`,
  lastSuccess: "Last success",
  never: "Not yet",
  nextAttempt: "Next attempt",
  /** By the engine's phase. */
  withoutTime: {
    paused: "After you press “Go on” on the Sync screen",
    offline: "When there is a network",
    "signed-out": "When you sign in",
  } as Readonly<Record<string, string>>,
  whenNeeded: "When there is something to do",
  underWay: "Asking the server…",
  outcomes: {
    done: "Everything is sent and up to date.",
    offline: "There is no network. Your changes are kept on this device, and sent when there is one.",
    signedOut: "You are signed out. Sign in to send and receive changes.",
    failed: (reason: string) => `Not everything was sent or received: ${reason}`,
    waits: "Some changes still wait. They are tried again by themselves.",
    held: "The other changes wait until you have decided: see “Needs your decision”.",
    parked: "Everything else is up to date. Some records need your decision.",
  },
  oldest: "Oldest change not sent",
  lastError: "Last problem",
  signInAgain: "Sign in again to send",
  signInRefused:
    "This sign-in was refused by the server. Sign in again, or ask the office whether it is still allowed.",
  user: "Signed in as",
  area: "Area on this device",
  signOut: "Sign out",
  signOutHint:
    "Signing in again needs a network. The records stay on this device after signing out, until somebody else signs in; the app shows them to nobody meanwhile, but they are not encrypted. What was typed into a form and not saved is removed.",
  signOutUnsent: (count: number) =>
    `${count === 1 ? "1 record has changes" : `${count} records have changes`} that are not sent. If you sign out now, this device keeps them, and the app shows them to nobody else. When you sign in on this device again, they are sent, or need your decision as they do now.`,
  signOutUnreached:
    "The server can’t be reached now. Nobody can sign in on this device, you included, until there is a network again.",
  signOutAnyway: "Sign out without a network",
  signOutKeep: "Sign out and keep the changes here",
  kept: (count: number) =>
    `You are signed out. ${count === 1 ? "1 record with changes is" : `${count} records with changes are`} kept on this device until you sign in again.`,
  restored: (count: number, then: string) =>
    `${count === 1 ? "1 record with your changes is" : `${count} records with your changes are`} back${then}`,
  /** What comes of all that is back. */
  restoredThen: {
    sent: () => ", and will be sent.",
    held: () => ".",
    decided: (count: number) => `, and ${count === 1 ? "needs" : "need"} your decision.`,
    paused: (count: number) => `. ${count === 1 ? "It waits" : "They wait"} until sending goes on.`,
  },
  /** What comes of some, where others need a decision. */
  restoredSome: {
    sent: (count: number) => `${count} will be sent`,
    held: (count: number) => `${count} ${count === 1 ? "waits" : "wait"}`,
    paused: (count: number) => `${count} ${count === 1 ? "waits" : "wait"} until sending goes on`,
  },
  restoredOthers: (some: string, decided: number) =>
    `: ${some}, and ${decided} ${decided === 1 ? "needs" : "need"} your decision.`,
  sealed: (count: number) =>
    `${count === 1 ? "1 record with changes" : `${count} records with changes`} of the person before you stay hidden on this device until they sign in again.`,
  sealedHere: (count: number) =>
    count === 1
      ? "1 record with unsent changes waits on this device until the person who made them signs in here."
      : `${count} records with unsent changes wait on this device until whoever made them signs in here.`,
  clock: {
    title: "Clock of this device",
    unknown: "Not known yet",
    right: "Right",
    minutes: (count: number) => `${count} minutes`,
    hours: (count: number) => `${count} hours`,
    days: (count: number) => `${count} days`,
    ahead: (span: string) => `${span} ahead`,
    behind: (span: string) => `${span} behind`,
  },
  report: "Save a report for support",
  reportHint: "The report has counts and times. It has no names, numbers or other data of people.",
  carry: {
    title: "Move your changes to another tablet",
    hint: "If this tablet can't send your changes any more, save them to a file, carry the file to another tablet, sign in there and open it. They stay on this tablet too, and are sent once.",
    passphrase: "Passphrase of the file",
    passphraseHint: "At least 10 characters. Without it nobody can read the file, not even you.",
    show: "Show the passphrase",
    hide: "Hide the passphrase",
    save: "Save unsent changes to a file",
    file: "File with unsent changes",
    load: "Open the file",
    missingFile: "Choose the file first",
    saved: (count: number) =>
      `${count === 1 ? "1 record with changes is" : `${count} records with changes are`} in the file.`,
    known: "Nothing in this file is new here: its changes are on this device already, or were sent from it.",
    loaded: (restored: number, sealed: number) =>
      `${restored === 1 ? "1 record with changes was" : `${restored} records with changes were`} taken over.${
        sealed > 0
          ? ` ${sealed === 1 ? "1 more waits until its" : `${sealed} more wait until their`} person signs in here, or until other changes of the same record are sent.`
          : ""
      }`,
  },
  parkedTitle: "Needs your decision",
  parkedEmpty: "No record waits for a decision.",
  unsentTitle: "Not sent yet",
  unsentMore: (count: number) => `and ${count} more`,
  numbers: "Your changes",
  progress: "Progress",
};
