import type { Json, JsonObject, Store } from "@fieldroll/core";
import { readState, stateDocument } from "../device/documents.ts";
import type { SignIn } from "../types.ts";
import { classify, jsonBody, type NoAnswer, type RawAnswer, type Reply } from "./reply.ts";
import type { ApiRequest, Transport } from "./transport.ts";

/** Who is signed in on this device. The secret is not part of it: it is never stored. */
export interface SessionRecord {
  readonly clientId: string;
  readonly token: string;
}

/** What came of asking for a token. */
export type TokenOutcome =
  | { readonly kind: "ok" }
  /** The credentials are wrong or not valid any more. */
  | { readonly kind: "refused"; readonly detail: string }
  /** Something came in between; nobody was signed in. */
  | { readonly kind: "taken" }
  /** Nobody answered; try again later. */
  | { readonly kind: "later"; readonly detail: string };

/** Signs requests with the token of the person who is signed in, and renews it while the secret is in memory. */
export interface Session {
  /** Reads who is signed in from the store: another tab may have changed it. */
  current(): Promise<SessionRecord | null>;
  /** @param allowed asked when the token is there and before it is kept: a person may have gone on working meanwhile */
  signIn(credentials: SignIn, allowed?: () => Promise<boolean>): Promise<TokenOutcome>;
  signOut(): Promise<void>;
  /** Sends a request under the token; asks for a new one, once, when the server wants that. */
  send(request: ApiRequest): Promise<Reply>;
}

export interface SessionOptions {
  readonly store: Store;
  readonly transport: Transport;
  readonly clock: () => Date;
  /** The token endpoint. */
  readonly tokenUrl: string;
}

/** Makes the session of one service; the token lives in the store, so that every tab and every restart has it. */
export function createSession({ store, transport, clock, tokenUrl }: SessionOptions): Session {
  let credentials: SignIn | null = null;
  let renewal: Promise<TokenOutcome> | null = null;

  async function current(): Promise<SessionRecord | null> {
    const document = await readState(store, "session");
    return document ? ((document.body as unknown as SessionRecord | null) ?? null) : null;
  }

  /** Keeps who is signed in, and with it whose device this is from now on. */
  async function save(session: SessionRecord | null): Promise<void> {
    for (let round = 0; round < 10; round++) {
      const found = await readState(store, "session");
      const next = stateDocument("session", found, session as unknown as Json);
      const owner = session && stateDocument("owner", await readState(store, "owner"), session.clientId);
      const at = { collection: next.collection, key: next.key };
      const expect = found
        ? ({ kind: "version", ...at, version: found.version } as const)
        : ({ kind: "absent", ...at } as const);
      if ((await store.commit({ expect: [expect], put: owner ? [next, owner] : [next] })).ok) return;
    }
  }

  async function signIn(next: SignIn, allowed: () => Promise<boolean> = always): Promise<TokenOutcome> {
    const answer = await askForToken(transport, tokenUrl, next);
    if (answer.kind !== "token") return answer;
    if (!(await allowed())) return { kind: "taken" };
    credentials = next;
    await save({ clientId: next.clientId, token: answer.token });
    return { kind: "ok" };
  }

  /** Whether the person whose secret is in memory is still the one who is signed in: another tab may have changed that. */
  async function stillSignedIn(): Promise<boolean> {
    return credentials !== null && (await current())?.clientId === credentials.clientId;
  }

  /** One renewal at a time, however many requests were refused. */
  async function renewed(): Promise<TokenOutcome | null> {
    if (!credentials || !(await stillSignedIn())) return null;
    renewal ??= signIn(credentials, stillSignedIn).finally(() => {
      renewal = null;
    });
    return renewal;
  }

  async function sendUnder(session: SessionRecord | null, request: ApiRequest): Promise<Reply> {
    if (!session) return { kind: "unauthorized", detail: "Nobody is signed in on this device." };
    const headers = { ...request.headers, authorization: `Bearer ${session.token}` };
    return classify(await transport({ ...request, headers }), clock());
  }

  async function send(request: ApiRequest): Promise<Reply> {
    const session = await current();
    const reply = await sendUnder(session, request);
    if (reply.kind !== "unauthorized" || !session) return reply;
    const now = await current();
    // The refusal is of the token that was sent; a newer one, from here or from another tab, may do.
    if (now?.clientId === session.clientId && now.token !== session.token) return sendUnder(now, request);
    const outcome = await renewed();
    if (outcome?.kind === "later") return { kind: "no-answer", why: "network", detail: outcome.detail };
    return outcome?.kind === "ok" ? sendUnder(await current(), request) : reply;
  }

  return {
    current,
    signIn,
    async signOut() {
      credentials = null;
      await save(null);
    },
    send,
  };
}

const always = async () => true;

type TokenAnswer =
  | Exclude<TokenOutcome, { kind: "ok" | "taken" }>
  | { readonly kind: "token"; readonly token: string };

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
  return tokenIn(answer, url);
}

function tokenIn(answer: RawAnswer | NoAnswer, url: string): TokenAnswer {
  if (answer.kind === "no-answer") return { kind: "later", detail: answer.detail };
  const { status } = answer;
  const body: JsonObject = jsonBody(answer) ?? {};
  if (status === 200 && typeof body.access_token === "string") {
    return { kind: "token", token: body.access_token };
  }
  if (status === 429) {
    const detail = "There were too many attempts to sign in; wait a minute, then try again.";
    return { kind: "later", detail };
  }
  if (body.error === "invalid_client" || body.error === "invalid_grant") {
    return { kind: "refused", detail: "The user name or password is wrong; check both." };
  }
  if (status < 500 && typeof body.error === "string") {
    const why = typeof body.error_description === "string" ? body.error_description : body.error;
    return { kind: "refused", detail: `The server refuses the sign-in: ${why}.` };
  }
  if (status === 404 || status === 405) {
    const detail = `Nobody can be signed in at ${url} (${status}). Check the server's address.`;
    return { kind: "later", detail };
  }
  return { kind: "later", detail: `The sign-in could not be checked now (${status}); try again later.` };
}
