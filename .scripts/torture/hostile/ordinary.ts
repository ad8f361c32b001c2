import { attacked } from "./attacks.ts";
import { type Ledger, timed } from "./ledger.ts";
import type { HostedServer } from "./server.ts";

/** Works as an office does: reads, searches by name, changes and follows a feed, a request each 20 ms at most. */
export async function work(
  { api }: HostedServer,
  {
    token,
    ledger,
    people,
    goesOn,
  }: {
    readonly token: string;
    readonly ledger: () => Ledger;
    readonly people: readonly string[];
    readonly goesOn: () => boolean;
  },
): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  // The same requests before the attack and under it: an answer with a photo of 4.5 MB would be another one.
  const others = people.slice(attacked);
  const get = (path: string) => () => fetch(`${api}/${path}`, { headers });
  for (let turn = 0; goesOn(); turn++) {
    const address = encodeURIComponent(others[(turn * 7) % others.length] ?? "");
    await timed(ledger(), "read", get(`Individual/${address}`));
    await timed(ledger(), "search", get(`Individual?name=${["reyes", "cruz", "santos"][turn % 3]}&limit=20`));
    await timed(ledger(), "change", () =>
      fetch(`${api}/Individual/${address}`, {
        method: "PATCH",
        headers: { ...headers, "Content-Type": "application/merge-patch+json", "If-Match": "*" },
        body: JSON.stringify({ birthDate: `19${50 + (turn % 50)}-01-01` }),
      }),
    );
    await timed(ledger(), "group", get("Group?limit=20"));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
