import type { SeededRandom, VirtualTime } from "@fieldroll/core/testing";
import type { Fetch, FetchResponse } from "@fieldroll/sync";

/** What networks, and whatever stands in them, do to a request: field notes D.4. */
export const faultNames = [
  "request lost",
  "refused at once",
  "answer lost",
  "duplicated",
  "delivered late",
  "cut short",
  "portal",
  "401",
  "403",
  "413",
  "422",
  "429",
  "500",
  "500 after the deed",
  "503",
] as const;

export type FaultName = (typeof faultNames)[number];

/** How often each fault comes, of a thousand requests. */
export type FaultWeights = Readonly<Record<FaultName, number>>;

export interface NetworkOptions {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly answer: (request: Request, body?: string) => Promise<Response>;
  /** Faults now; none where they are off. */
  readonly weights: () => FaultWeights | null;
  /** Whether the server fails at every write to this path. */
  readonly poisoned: (path: string) => boolean;
  readonly tell: (line: string) => void;
  readonly count: (what: string, by?: number) => void;
}

/** Stands between devices and their server. Nothing gets through in no time. */
export interface Network {
  /** How one device reaches the server. */
  fetchOf(device: { readonly name: string; readonly online: () => boolean }): Fetch;
  /** Bytes of each request by its idempotency key, and what was sent under a key with other bytes. */
  readonly changedBytes: readonly string[];
}

type Sending = Parameters<Fetch>;

/** Makes the network of a simulation. */
export function createNetwork(options: NetworkOptions): Network {
  const { time, random, tell, count } = options;
  const bytes = new Map<string, string>();
  const changedBytes: string[] = [];
  const deliver = async ([url, { method, headers, body }]: Sending): Promise<FetchResponse> =>
    whole(
      await options.answer(new Request(url, { method, headers, ...(body !== undefined && { body }) }), body),
    );

  const checkBytes = ([url, { method, headers, body = "" }]: Sending) => {
    const key = headers["idempotency-key"];
    if (key === undefined) return;
    const now = `${method} ${url} ${headers["if-match"] ?? ""} ${body}`;
    const before = bytes.get(key);
    if (before !== undefined && before !== now) changedBytes.push(`${key}: ${before} became ${now}`);
    bytes.set(key, now);
  };

  return {
    changedBytes,
    fetchOf: (device) => (url, init) =>
      new Promise((resolve, reject) => {
        const sending: Sending = [url, init];
        const path = `${init.method} ${new URL(url).pathname.replace("/api/v2", "")}`;
        checkBytes(sending);
        count("requests");
        count("bytes up", init.body?.length ?? 0);
        const poisoned = init.method !== "GET" && options.poisoned(path);
        const fault = poisoned ? "500" : draw(options, url);
        if (fault) count(`fault: ${fault}`);
        const trip = () => 20 + random.below(fault === "delivered late" ? 120_000 : 800);
        const give = (response: FetchResponse) => {
          time.after(trip(), () => {
            if (!device.online()) {
              reject(new TypeError("offline"));
              return;
            }
            tell(`${device.name} < ${path} ${response.status}${fault ? ` (${fault})` : ""}`);
            resolve(response);
          });
        };
        const arrive = (then: (response: FetchResponse) => void) =>
          time.after(trip(), async () => then(await deliver(sending)));
        if (!device.online()) {
          time.after(5, () => reject(new TypeError("offline")));
          return;
        }
        const refuse = () => time.after(trip(), () => reject(new TypeError("reset")));
        ways[fault ?? "delivered late"]({ arrive, give, reject: refuse });
      }),
  };
}

function draw({ random, weights }: NetworkOptions, url: string): FaultName | null {
  const now = weights();
  if (!now || url.endsWith("/oauth2/token")) return null;
  const given = random.below(1000);
  let sum = 0;
  for (const name of faultNames) {
    sum += now[name];
    if (given < sum) return name;
  }
  return null;
}

interface Ways {
  /** The request reaches the server, and what is made of its answer. */
  readonly arrive: (then: (response: FetchResponse) => void) => void;
  /** An answer reaches the device. */
  readonly give: (response: FetchResponse) => void;
  readonly reject: () => void;
}

const ways: Readonly<Record<FaultName, (ways: Ways) => void>> = {
  "request lost": () => undefined,
  "refused at once": ({ reject }) => reject(),
  "answer lost": ({ arrive }) => arrive(() => undefined),
  duplicated: ({ arrive, give }) => {
    arrive(() => undefined);
    arrive(give);
  },
  "delivered late": ({ arrive, give }) => arrive(give),
  "cut short": ({ arrive, give }) =>
    arrive(({ status, headers, text }) => {
      const half = async () => {
        const all = await text();
        return all.slice(0, Math.floor(all.length / 2));
      };
      give({ status, headers, text: half });
    }),
  portal: ({ give }) =>
    give(plain(200, "<html>Welcome to our network</html>", { "content-type": "text/html" })),
  "401": ({ give }) => give(plain(401, "", { "www-authenticate": 'Bearer error="invalid_token"' })),
  "403": ({ give }) => give(problem(403, "authorization")),
  "413": ({ give }) => give(plain(413)),
  "422": ({ give }) => give(problem(422, "validation")),
  "429": ({ give }) => give(plain(429, "", { "retry-after": "30" })),
  "500": ({ give }) => give(plain(500)),
  "500 after the deed": ({ arrive, give }) => arrive(() => give(plain(500))),
  "503": ({ give }) => give(plain(503, "", { "retry-after": "120" })),
};

function plain(status: number, body = "", headers: Record<string, string> = {}): FetchResponse {
  const found = new Map(Object.entries(headers));
  return { status, headers: { get: (name) => found.get(name) ?? null }, text: async () => body };
}

function problem(status: number, kind: string): FetchResponse {
  const body = JSON.stringify({
    type: `urn:service:error:${kind}`,
    status,
    title: kind,
    detail: "not today",
  });
  return plain(status, body, { "content-type": "application/problem+json" });
}

/** An answer that has arrived as a whole. */
async function whole(response: Response): Promise<FetchResponse> {
  const { status, headers } = response;
  const text = await response.text();
  return { status, headers, text: async () => text };
}
