import type { ProblemKind } from "@fieldroll/core";

/** What a type of problem means, and what a client does about it: contract section 8. */
export interface ProblemGuide {
  readonly meaning: string;
  readonly action: string;
}

export const problemGuides: Readonly<Record<ProblemKind, ProblemGuide>> = {
  conflict: {
    meaning:
      "The record has another version than If-Match names: somebody changed it since it was read. Nothing was written.",
    action:
      "Fetch the record, merge your changes into it, and send them again with the new version in If-Match.",
  },
  duplicate: {
    meaning:
      "An identifier belongs to another record already, or the beneficiary has an enrollment in the program already. Nothing was written. The member existing is the address of the record that has it; restricted callers are not told which it is.",
    action:
      "Compare the two. If they are the same, go on with the existing one; otherwise ask a person, or choose another identifier.",
  },
  "invalid-state": {
    meaning:
      "The consent, entitlement, cycle or change request is not in a state in which this can be done, such as a consent that was withdrawn before. Or, where the register has one household for each person, somebody who joins is a member of another one already (code other_household); the member households names both.",
    action:
      "Stop. Trying again changes nothing; read the record to see its state. End the other membership first, or in the same transaction.",
  },
  "precondition-required": {
    meaning: "PUT and PATCH need the header If-Match, and it was missing.",
    action: 'Fetch the record, and send the request with If-Match: "<meta.versionId>".',
  },
  validation: {
    meaning:
      "The body, or a record that it refers to, breaks a rule. The member errors lists every fault, each with a JSON pointer to its place and a stable code.",
    action: "Correct the fields that errors names, and send the request again.",
  },
  "idempotency-mismatch": {
    meaning: "The Idempotency-Key was used before, for another request.",
    action: "Use a new key for a new request, and the same key only to repeat exactly the same one.",
  },
  "bad-request": {
    meaning:
      "The request can't be understood: the JSON is malformed, or a parameter, the address or the cursor is. The member errors names each. With the status 408 the request did not arrive in time; with the status 417 its header Expect asks for what this server does not do.",
    action:
      "Correct it. A cursor belongs to the query that it came from: start again without it. After 408 send the same request again.",
  },
  authentication: {
    meaning: "The request carries no access token, or one that is not valid here or has expired.",
    action: "Get a new token at the token endpoint, and send it as Authorization: Bearer.",
  },
  authorization: {
    meaning:
      "The token lacks a scope (the member missing_scope names it), or nothing that you may see is at this address. A caller that is bound by consent gets the same answer for a hidden record as for an unknown one.",
    action: "Stop. Ask for a token with the scope, or for the person's consent.",
  },
  "not-found": {
    meaning: "There is nothing at this address.",
    action: "Stop, and check the address. The capability statement lists what there is.",
  },
  "method-not-allowed": {
    meaning: "The address exists, and does not support this method. The header Allow lists what it supports.",
    action: "Use one of the methods in Allow. Records are archived by PATCH with active false, not deleted.",
  },
  "unsupported-media-type": {
    meaning: "The body has a Content-Type that is not read here.",
    action: "Send application/json, or application/merge-patch+json to PATCH.",
  },
  "payload-too-large": {
    meaning:
      "The body is larger than 8 MiB, or has more values, or the bundle more than 100 entries. Where a list is too long, errors names it, with its limit and its size. With the status 431 the headers are too large.",
    action: "Split the request, or make the photo smaller.",
  },
  "too-many-requests": {
    meaning:
      "The client has sent too many requests, or too many writes that named a taken identifier, or there were too many sign-ins: failed ones, or any at once; or too many requests at once looked through many records or had long bodies. The headers RateLimit-* say how many are left.",
    action: "Wait as many seconds as the header Retry-After says.",
  },
  gone: {
    meaning: "The endpoint belongs to the earlier version of the interface, which has ended.",
    action: "Migrate to this version. The header Link leads to the guide.",
  },
  internal: {
    meaning: "Something went wrong in the server. Nothing is known to be wrong with the request.",
    action:
      "Try again later, with the same Idempotency-Key if there was one. Tell the operator the X-Request-Id if it stays.",
  },
  unavailable: {
    meaning: "The server can't reach its storage at the moment, or (at /readyz) still loads its records.",
    action: "Wait as many seconds as the header Retry-After says, and try again.",
  },
};
