import type { Answer } from "../contract/fixture.ts";
import type { World } from "../contract/world.ts";
import type { Asked } from "./requests.ts";

/** Sends a request as a client, and follows its pages. */
export async function sendAll(world: World, client: string, asked: Asked): Promise<readonly Answer[]> {
  const { pages = 1, ...call } = asked;
  const headers = { ...call.headers, "X-Request-Id": "trace" };
  const answers = [await world.send(client, { ...call, headers })];
  for (let page = 1; page < pages; page++) {
    const pagination = answers.at(-1)?.body?.pagination;
    if (!pagination?.has_more) break;
    const joint = call.path.includes("?") ? "&" : "?";
    const path = `${call.path}${joint}cursor=${encodeURIComponent(pagination.next_cursor)}`;
    answers.push(await world.send(client, { path, headers }));
  }
  return answers;
}
