import type { SafeModeCause } from "@fieldroll/sync";

/** What is wrong and what helps, in one sentence each; part of `texts`. */
interface SafeModeText {
  readonly cause: string;
  readonly remedy: string;
}

const causes: Readonly<Record<SafeModeCause, SafeModeText>> = {
  "no-storage": {
    cause: "This browser keeps no data here, so nothing can be saved.",
    remedy: "Open Fieldroll in a window that is not private, or let the browser keep data of this site.",
  },
  "no-space": {
    cause: "This device has no space left, so nothing more can be saved.",
    remedy: "Delete photos, videos or apps that are not needed; Fieldroll then goes on by itself.",
  },
  "newer-version": {
    cause: "A newer version of Fieldroll has opened the records on this device.",
    remedy: "Load the newer version here, too; what you saved is kept.",
  },
  "other-tab": {
    cause: "Another tab has an older version of Fieldroll open and holds the records.",
    remedy: "Close the other tabs of Fieldroll; this one then goes on by itself.",
  },
  cleared: {
    cause: "The data of this site was deleted in the browser while Fieldroll was open.",
    remedy: "Fieldroll starts again by itself, without records; then sign in where there is a network.",
  },
  "other-build": {
    cause: "Fieldroll was updated while this page was open, so nothing more can be saved on it.",
    remedy: "Load Fieldroll again; what you typed and what you saved is kept.",
  },
  "not-loaded": {
    cause: "A part of Fieldroll could not be loaded, so nothing can be saved yet.",
    remedy: "Check the network; Fieldroll then goes on by itself.",
  },
  unreadable: {
    cause: "The records on this device can’t be read now, so nothing can be saved.",
    remedy: "Close the browser and open Fieldroll again; if that does not help, ask your support.",
  },
};

export const safeModeTexts = {
  title: "Nothing can be saved here now",
  causes,
  kept: "What you saved before stays on this device.",
  reload: "Load Fieldroll again",
  details: "For support",
  unkeptTitle: "Not kept",
  unkept:
    "There is no room to keep what you type here. Save it, or write it down, before you leave this form or close Fieldroll.",
};
