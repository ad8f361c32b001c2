/** A person's decision on a record, for `resolve` of a field client; but for `discard`, on one that is parked. */
export type Resolution =
  /**
   * Of a `conflict`: for each of its `conflicts`, by `path`, keep ours, take theirs, or another value; none may be left out, and of
   * those that are decided `together` not some ours and some theirs. What comes of it is sent as an edit of the server's copy. Of a
   * `duplicate` it does what `adopt` does.
   */
  | {
      readonly kind: "choose";
      readonly revision: string;
      readonly choices: Readonly<Record<string, "ours" | "theirs" | { readonly value: unknown }>>;
    }
  /**
   * A duplicate is the record that is registered already: from now on this device's record is that one. What was entered here is
   * merged into it and sent as an edit of it, with a choice for each of `conflicts`, and what refers to the record made here
   * refers to that one. Recorded in the history.
   */
  | {
      readonly kind: "adopt";
      readonly revision: string;
      readonly choices?: Readonly<Record<string, "ours" | "theirs" | { readonly value: unknown }>>;
    }
  /**
   * Sends again as it is, such as after a right was given; what is refused again is parked again. A `conflict` whose fields both
   * changed needs a choice. What was `rejected` needs no decision once it is corrected: the edit sends it.
   *
   * With the `revision` of what the person looked at, it is refused where that is not there any more.
   */
  | { readonly kind: "retry"; readonly revision?: string }
  /**
   * Gives up what is unsent of the record; recorded in the history. The device shows the server's copy again, of a `duplicate` made
   * here the other record, where that is shown; without a copy, and of what is `gone`, nothing. Also of a `pending` record, which waits for
   * no decision, and of one that whoever is signed in may not write (403); not while it may be on its way. Name the `revision` that
   * the person looked at: without it, whatever is unsent by now is given up.
   */
  | { readonly kind: "discard"; readonly revision?: string };
