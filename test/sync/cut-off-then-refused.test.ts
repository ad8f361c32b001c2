import type { Fetch } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { ok, personOf, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, credentials } from "./support/world.ts";

const ana = { system, value: "ANA" };
const reference = `Individual/${system}|ANA`;

/** Refuses for want of a right. @param more which one, where the token lacks it */
function refused(more: object = {}): Response {
  const problem = {
    type: "urn:service:error:authorization",
    title: "x",
    status: 403,
    detail: "Not you.",
    ...more,
  };
  return new Response(JSON.stringify(problem), {
    status: 403,
    headers: { "content-type": "application/problem+json" },
  });
}

/** A change is made by the server, and its answer never comes; then who is signed in may not write. */
async function cutOff({ killed, at }: { readonly killed: boolean; readonly at: (send: Fetch) => Fetch }) {
  const { view, device } = await createWorld();
  await ok(view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
  let answer: "usual" | "none" | Response = "usual";
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const tablet = device("a", {
    network: (open) => {
      const send = at(open);
      return async (url, init) => {
        if (init.method !== "PATCH" || answer === "usual") return send(url, init);
        if (answer !== "none") return answer.clone();
        await send(url, init);
        arrive();
        if (!killed) throw new TypeError("connection reset");
        return new Promise(() => undefined);
      };
    },
  });
  await ok(tablet.client.signIn(credentials));
  await tablet.client.sync();
  await ok(
    tablet.client.individuals.update(reference, (draft) => {
      draft.name.given = "Mine";
    }),
  );
  answer = "none";
  const run = tablet.client.sync();
  await arrived;
  if (killed) tablet.kill();
  else await run;
  return {
    view,
    tablet,
    answerWith: (other: typeof answer) => {
      answer = other;
    },
  };
}

describe("a change that the server has made, whose answer never came, and which is refused then", () => {
  /** Once, it could be given up: of an attempt that the end of the app cut off nothing was known. */
  it.each([{ killed: true }, { killed: false }])(
    "is not given up as if it had been refused each time (killed: $killed)",
    async ({ killed }) => {
      const { tablet, answerWith } = await cutOff({ killed, at: (send) => send });
      answerWith(refused({ missing_scope: "registry:write" }));
      for (let i = 0; i < 7; i++) await tablet.client.sync();
      const { answers } = await ok(tablet.client.explain(reference));
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
      const given = await tablet.client.resolve(reference, { kind: "discard" });
      expect(given).toMatchObject({ ok: false, problem: { kind: "invalid-state" } });
      answerWith("usual");
      expect(await tablet.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    },
  );

  /** Once, what a firewall says counted as the server's word. */
  it("is not given up where something else refuses it in the server's place", async () => {
    const { view, device } = await createWorld();
    await ok(view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    const firewall = { status: 403, headers: { "content-type": "text/html" } };
    const { client } = device("a", {
      network: (send) => async (url, init) => {
        const answer = await send(url, init);
        return init.method === "PATCH" ? new Response("<p>Blocked</p>", firewall) : answer;
      },
    });
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(
      client.individuals.update(reference, (draft) => {
        draft.name.given = "Mine";
      }),
    );
    await client.sync();
    expect((await ok(view.individuals.read(ana))).name.given).toBe("Mine");
    expect(await client.resolve(reference, { kind: "discard" })).toMatchObject({ ok: false });
  });

  /** Once, it was made again over the office's undoing, which nobody was asked about. */
  it.each([{ killed: true }, { killed: false }])(
    "is asked about where it was undone, at a server without keys (killed: $killed)",
    async ({ killed }) => {
      const { view, tablet, answerWith } = await cutOff({ killed, at: plain });
      expect((await ok(view.individuals.read(ana))).name.given).toBe("Mine");
      await ok(view.individuals.patch(ana, { name: { given: "Ana" } }, { ifMatch: "*" }));
      answerWith(refused());
      await tablet.client.sync();
      answerWith("usual");
      await tablet.client.sync();
      expect(await tablet.client.parked()).toMatchObject([{ reason: "conflict" }]);
      expect((await ok(view.individuals.read(ana))).name.given).toBe("Ana");
      await ok(tablet.client.resolve(reference, { kind: "retry" }));
      await tablet.client.sync();
      expect((await ok(view.individuals.read(ana))).name.given).toBe("Mine");
    },
  );
});
