import { allScopes, type Json, type JsonObject, type Store } from "@fieldroll/core";
import { readState, type Versioned } from "../device/documents.ts";
import { beginRun, type Run, RunOver } from "../device/run.ts";
import { endSession, keepSession, readSession, rounds, type SessionRecord } from "../device/session-state.ts";
import type { Heard } from "../model/clock.ts";
import type { SignIn } from "../types.ts";
import {
  classify,
  foreignIn,
  isOfProxies,
  jsonBody,
  type NoAnswer,
  notTheApi,
  type RawAnswer,
  type Reply,
} from "./reply.ts";
import type { ApiRequest, Transport } from "./transport.ts";

/** What came of asking for a token. */
export type TokenOutcome =
  | { readonly kind: "ok" }
  /** The credentials are wrong or not valid any more. */
  | { readonly kind: "refused"; readonly detail: string }
  /** Something came in between; nobody was signed in. */
  | { readonly kind: "taken" }
  /** Nobody answered; try again later. `by` is what came in the place of an answer. */
  | { readonly kind: "later"; readonly detail: string; readonly by?: NoAnswer };

/**
 * Makes ready for somebody to be signed in, when the token is there and before it is kept.
 *
 * @returns the session's document that the new one replaces; `taken` when that can't be
 */
export type Prepare = () => Promise<{ readonly replaces: Versioned | undefined } | "taken">;

/** Signs requests with the token of the person who is signed in, and renews it while the secret is in memory. */
export interface Session {
  /** Reads who is signed in from the store: another tab may have changed it. */
  current(): Promise<SessionRecord | null>;
  /** @param prepare asked again when the session changed before the new one was kept */
  signIn(credentials: SignIn, prepare: Prepare): Promise<TokenOutcome>;
  /**
   * Nobody is signed in from now on: no request leaves, no edit is kept.
   *
   * @returns the document that says so; whatever stands on it fails once somebody signs in
   */
  leave(): Promise<Versioned>;
  /** Asks for a token anew where the present one may not write all: a right may have come back. Tells nothing where that fails. */
  regain(): Promise<void>;
  /**
   * Begins a run for the person who is signed in: nothing of theirs leaves under another's name, and nothing is written when they are
   * not any more.
   *
   * @param over ends the run, with its requests; aborted when the person leaves
   * @returns `null` when nobody is signed in
   */
  begin(over: AbortController): Promise<SendingRun | null>;
  /** What the server's last answer showed of this device's clock; `null` before there was one. */
  heard(): Heard | null;
  /** Takes what was heard before a restart, until there is an answer. */
  recall(heard: Heard | null): void;
}

/** A run that sends. */
export interface SendingRun extends Pick<Run, "store"> {
  /** Sends a request under the token of the run's own sign-in; asks for a new one, once, when the server wants that. */
  readonly send: Send;
}

/** Sends a request of a run; fails with `RunOver` once that is over. */
export type Send = (request: ApiRequest) => Promise<Reply>;

export interface SessionOptions {
  readonly store: Store;
  readonly transport: Transport;
  readonly clock: () => Date;
  /** The token endpoint. */
  readonly tokenUrl: string;
}

/** What sending needs. */
const writing: readonly string[] = ["registry:write", "program:write"];

/** Makes the session of one service; the token lives in the store, so that every tab and every restart has it. */
export function createSession({ store, transport, clock, tokenUrl }: SessionOptions): Session {
  let credentials: SignIn | null = null;
  let renewal: Promise<TokenOutcome> | null = null;
  let present: AbortController | null = null;
  let heard: Heard | null = null;

  const current = () => readSession(store);

  async function signIn(next: SignIn, prepare: Prepare): Promise<TokenOutcome> {
    const answer = await askForToken(transport, tokenUrl, next);
    if (answer.kind !== "token") return answer;
    for (let round = 0; round < rounds; round++) {
      const ready = await prepare();
      if (ready === "taken") return { kind: "taken" };
      const { token, scopes } = answer;
      const session = { clientId: next.clientId, token, ...(scopes && { scopes }) };
      if (!(await keepSession(store, session, ready.replaces))) continue;
      credentials = next;
      return { kind: "ok" };
    }
    return { kind: "taken" };
  }

  /** One renewal at a time, however many requests were refused; none for a person whom another tab signed out. */
  async function renewed(): Promise<TokenOutcome | null> {
    const mine = credentials;
    const stillSignedIn: Prepare = async () => {
      const found = await readState(store, "session");
      const now = found?.body as unknown as SessionRecord | null | undefined;
      return mine && now?.clientId === mine.clientId ? { replaces: found } : "taken";
    };
    if (!mine || (await stillSignedIn()) === "taken") return null;
    renewal ??= signIn(mine, stillSignedIn).finally(() => {
      renewal = null;
    });
    return renewal;
  }

  async function sendUnder(session: SessionRecord, request: ApiRequest): Promise<Reply> {
    const headers = { ...request.headers, authorization: `Bearer ${session.token}` };
    const answer = await transport({ ...request, headers });
    if (request.over?.aborted) throw new RunOver();
    const reply = classify(answer, clock());
    heard = heardIn(answer, reply) ?? heard;
    return reply;
  }

  async function send(run: Run, request: ApiRequest): Promise<Reply> {
    const session = await run.session();
    const reply = await sendUnder(session, request);
    if (reply.kind !== "unauthorized") return reply;
    const now = await run.session();
    // The refusal is of the token that was sent; a newer one, from here or from another tab, may do.
    if (now.token !== session.token) return sendUnder(now, request);
    const outcome = await renewed();
    if (outcome?.kind === "later") return outcome.by ?? withoutToken(outcome.detail);
    return outcome?.kind === "ok" ? sendUnder(await run.session(), request) : reply;
  }

  return {
    current,
    signIn,
    leave() {
      credentials = null;
      present?.abort();
      return endSession(store);
    },
    async regain() {
      const scopes = (await current())?.scopes ?? writing;
      if (!writing.every((scope) => scopes.includes(scope))) await renewed();
    },
    heard: () => heard,
    recall(before) {
      heard ??= before;
    },
    async begin(over) {
      present = over;
      const run = await beginRun(store, over.signal);
      return run && { store: run.store, send: (request) => send(run, { ...request, over: over.signal }) };
    },
  };
}

/** To the second, which is what the header tells; as of when the answer began, for its body may take minutes. */
function heardIn(answer: RawAnswer | NoAnswer, reply: Reply): Heard | null {
  // Whatever answers in the server's place may have any clock.
  if (answer.kind === "no-answer" || (reply.kind !== "ok" && reply.kind !== "problem")) return null;
  const { date, at } = answer;
  const seconds = Math.round((at - Date.parse(date ?? "")) / 1000);
  return Number.isFinite(seconds) ? { skew: seconds * 1000, at } : null;
}

type TokenAnswer =
  | Exclude<TokenOutcome, { kind: "ok" | "taken" }>
  | { readonly kind: "token"; readonly token: string; readonly scopes: readonly string[] | null };

/** The client credentials grant: specification, "Authentication"; errors as in RFC 6749 section 5.2. */
async function askForToken(transport: Transport, url: string, credentials: SignIn): Promise<TokenAnswer> {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
  });
  const answer = await transport({
    method: "POST",
    url,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: form.toString(),
  });
  if (answer.kind === "no-answer") return later(answer, url);
  const body = jsonBody(answer);
  const foreign = foreignIn(answer, body);
  return foreign ? later(foreign, url) : tokenIn(answer, body ?? {}, url);
}

/** The scopes that were granted, as far as they are this API's; a server may leave them out (RFC 6749 section 5.1), or have others. */
function scopesIn(scope: Json | undefined): readonly string[] | null {
  const granted = typeof scope === "string" ? scope.split(" ") : [];
  const known = allScopes.filter((each) => granted.includes(each));
  return known.length > 0 ? known : null;
}

/** A server says the same of one that is not allowed any more (RFC 6749 section 5.2): nobody learns who has a sign-in. */
const wrongSignIn =
  "The user name or password is wrong; check both, or ask the office whether this sign-in is still allowed.";

function later(by: NoAnswer, url: string): TokenAnswer {
  const advice = by.isPortal ? ` It came from ${url}. Check the network, and the server's address.` : "";
  return { kind: "later", detail: `${by.detail}${advice}`, by };
}

function withoutToken(detail: string): NoAnswer {
  return { kind: "no-answer", why: "network", detail };
}

function tokenIn({ status }: RawAnswer, body: JsonObject, url: string): TokenAnswer {
  if (status === 200 && typeof body.access_token === "string") {
    return { kind: "token", token: body.access_token, scopes: scopesIn(body.scope) };
  }
  if (status === 429) {
    const detail = "There were too many attempts to sign in; wait a minute, then try again.";
    return { kind: "later", detail };
  }
  const error = status === 400 || status === 401 ? body.error : undefined;
  if (error === "invalid_client" || error === "invalid_grant") {
    return { kind: "refused", detail: wrongSignIn };
  }
  // Whatever answers in the server's place may say `error` in words of its own.
  if (error === "unauthorized_client" || error === "invalid_scope") {
    const why = typeof body.error_description === "string" ? body.error_description : error;
    return { kind: "refused", detail: `The server refuses the sign-in: ${why}.` };
  }
  if (status === 404 || status === 405) {
    const detail = `Nobody can be signed in at ${url} (${status}). Check the server's address.`;
    return { kind: "later", detail };
  }
  if (!isOfProxies(status)) return later(notTheApi(status), url);
  const detail = `The sign-in could not be checked at ${url} now (${status}). Try again later, or check the server's address.`;
  return { kind: "later", detail };
}
