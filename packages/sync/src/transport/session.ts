import type { Json, JsonObject, Store } from "@fieldroll/core";
import { readState, stateDocument } from "../device/documents.ts";
import type { SignIn } from "../types.ts";
import { classify, jsonBody, type Reply } from "./reply.ts";
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
  /** Nobody answered; try again later. */
  | { readonly kind: "later"; readonly detail: string };

/** Signs requests with the token of the person who is signed in, and renews it while the secret is in memory. */
export interface Session {
  /** Reads who is signed in from the store: another tab may have changed it. */
  current(): Promise<SessionRecord | null>;
  signIn(credentials: SignIn): Promise<TokenOutcome>;
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

  async function save(session: SessionRecord | null): Promise<void> {
    for (let round = 0; round < 10; round++) {
      const found = await readState(store, "session");
      const next = stateDocument("session", found, session as unknown as Json);
      const at = { collection: next.collection, key: next.key };
      const expect = found
        ? ({ kind: "version", ...at, version: found.version } as const)
        : ({ kind: "absent", ...at } as const);
      if ((await store.commit({ expect: [expect], put: [next] })).ok) return;
    }
  }

  async function signIn(next: SignIn): Promise<TokenOutcome> {
    const answer = await askForToken(transport, tokenUrl, next);
    if (answer.kind !== "token") return answer;
    credentials = next;
    await save({ clientId: next.clientId, token: answer.token });
    return { kind: "ok" };
  }

  /** One renewal at a time, however many requests were refused. */
  async function renewed(): Promise<boolean> {
    if (!credentials) return false;
    renewal ??= signIn(credentials).finally(() => {
      renewal = null;
    });
    return (await renewal).kind === "ok";
  }

  async function sendOnce(request: ApiRequest): Promise<Reply> {
    const session = await current();
    if (!session) return { kind: "unauthorized", detail: "Nobody is signed in on this device." };
    const headers = { ...request.headers, authorization: `Bearer ${session.token}` };
    return classify(await transport({ ...request, headers }), clock());
  }

  return {
    current,
    signIn,
    async signOut() {
      credentials = null;
      await save(null);
    },
    async send(request) {
      const reply = await sendOnce(request);
      if (reply.kind !== "unauthorized" || !(await renewed())) return reply;
      return sendOnce(request);
    },
  };
}

type TokenAnswer = Exclude<TokenOutcome, { kind: "ok" }> | { readonly kind: "token"; readonly token: string };

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
  if (answer.kind === "no-answer") return { kind: "later", detail: answer.detail };
  const body: JsonObject = jsonBody(answer) ?? {};
  if (answer.status === 200 && typeof body.access_token === "string") {
    return { kind: "token", token: body.access_token };
  }
  if (answer.status < 500 && answer.status !== 429 && typeof body.error === "string") {
    return { kind: "refused", detail: "The server does not accept this client and secret; check both." };
  }
  return {
    kind: "later",
    detail: `The sign-in could not be checked now (${answer.status}); try again later.`,
  };
}
