import { arbitraryGroup, arbitraryIndividual, arbitraryMembership } from "@fieldroll/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stores } from "../contract/fixture.ts";
import { check } from "./check.ts";
import { type Act, arbitraryAct, beginStep, perform } from "./hidden-acts.ts";
import {
  type Body,
  covered,
  type Hidden,
  hiddenPeople,
  individual,
  openSide,
  pools,
  type Setting,
  type Side,
} from "./hidden-world.ts";
import { type Asked, arbitraryRequest, programs } from "./requests.ts";
import { sendAll } from "./send.ts";
import { checkSound } from "./sound.ts";

/** A request, a feed read on from where it was left, or something that happens. */
type Step =
  | { readonly asked: Asked }
  | { readonly feed: string; readonly limit: number }
  | { readonly act: Act };

const withFarmer = fc.nat(9).map((farmSize) => ({ farmer: { farmSize } }));
const person: fc.Arbitrary<Body> = fc
  .tuple(arbitraryIndividual, withFarmer)
  .map(([body, extension]) => ({ ...body, extension }));
const people = fc.tuple(...covered.map(() => person));

/** Hidden groups hold hidden people, and covered ones whose consent doesn't show where they belong. */
const groupMembers = ["h0", "c0", "c1", "c3"].map(individual);
const membership = arbitraryMembership({ program: programs[1], beneficiary: individual("h0") });

/** Where identifiers are shown of everything, both registries hold the same number of records. */
function arbitraryHidden({ withoutConsent }: Setting): fc.Arbitrary<Hidden> {
  const least = (most: number, hide: number) => ({
    minLength: withoutConsent === "hide" ? hide : most,
    maxLength: most,
  });
  return fc.record({
    parts: people,
    people: fc.array(person, least(hiddenPeople.length, 1)),
    groups: fc.array(arbitraryGroup(groupMembers), least(2, 1)),
    memberships: fc.array(membership, least(1, 0)),
  });
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: arbitraryRequest(pools).map((asked) => ({ asked })) },
  {
    weight: 3,
    arbitrary: fc.record({
      feed: fc.constantFrom("all", "area:PH", "area:PH/Cavite", "area:PH/Laguna"),
      limit: fc.constantFrom(1, 3, 500),
    }),
  },
  { weight: 4, arbitrary: arbitraryAct.map((act) => ({ act })) },
);

interface Seen {
  readonly answers: readonly string[];
  /** The calls to the store, where they must not depend on what is hidden. */
  readonly work?: readonly string[];
}

async function take(side: Side, one: Step, at: { step: number; name: string; hide: boolean }): Promise<Seen> {
  beginStep(side, at.step);
  if ("act" in one) {
    await perform(side, one.act, at);
    return { answers: [] };
  }
  if ("feed" in one) return { answers: await follow(side, one) };
  const answers = (await sendAll(side.world, "ngo", one.asked)).map(printed);
  const { method = "GET", path } = one.asked;
  // Where identifiers are shown, all records are looked at. Whoever reads a feed makes the server pass over what is hidden; writes take along who refers to what is written.
  const counted = at.hide && method === "GET" && !path.startsWith("/$changes");
  return { answers, ...(counted && { work: [...side.world.storeCalls.list] }) };
}

async function follow({ world, cursors }: Side, { feed, limit }: { feed: string; limit: number }) {
  const cursor = cursors.get(feed);
  const query = new URLSearchParams({ feed, limit: String(limit), ...(cursor !== undefined && { cursor }) });
  const answers = await sendAll(world, "ngo", { path: `/$changes?${query}` });
  const next = answers.at(-1)?.body?.pagination?.next_cursor;
  if (typeof next === "string") cursors.set(feed, next);
  return answers.map(printed);
}

/** Cursors are sealed, because the place in the store counts hidden writes too: whether there is one, and how long it is, is all that they tell. */
const printed = ({ status, headers, body }: { status: number; headers: Headers; body: unknown }) =>
  JSON.stringify({ status, headers: [...headers], body }, sealed, 1);

const sealed = (name: string, value: unknown) =>
  name === "next_cursor" && typeof value === "string" ? `sealed, ${value.length} characters` : value;

const policies = ["hide", "identifiers"] as const;
const settings = stores.flatMap(([store, open]) =>
  policies.map((withoutConsent) => [`${store}, ${withoutConsent}`, { open, withoutConsent }] as const),
);

describe.each(settings)("a caller bound by consent, over %s", (name, setting) => {
  it("gets the same bytes from registries that differ in hidden data only", {
    timeout: 3_600_000,
  }, async () => {
    const hidden = arbitraryHidden(setting);
    const hide = setting.withoutConsent === "hide";
    const steps = fc.array(step, { minLength: 1, maxLength: 14 });
    const property = fc.asyncProperty(
      people,
      fc.tuple(hidden, hidden),
      steps,
      async (visible, [one, other], all) => {
        const left = await openSide(setting, visible, one);
        const right = await openSide(setting, visible, other);
        for (const [at, now] of all.entries()) {
          const first = await take(left, now, { step: at, name: "left", hide });
          const second = await take(right, now, { step: at, name: "right", hide });
          expect(second, JSON.stringify(now)).toEqual(first);
        }
        await Promise.all([left, right].map(({ world }) => checkSound(world)));
        await Promise.all([left.world.store.close(), right.world.store.close()]);
      },
    );
    await check(`hidden-data ${name}`, property, { runs: 5 });
  });
});

it("is not what a caller exempt from consent gets", async () => {
  const setting = {
    open: stores[0]?.[1] ?? (() => Promise.reject(new Error("no store"))),
    withoutConsent: "hide",
  } as const;
  const hidden = arbitraryHidden(setting);
  const samples = fc.sample(fc.tuple(people, hidden, hidden), { numRuns: 1, seed: 1 });
  for (const [visible, one, other] of samples) {
    const asked = { path: "/Individual?active=any&_total=accurate" };
    const sides = [await openSide(setting, visible, one), await openSide(setting, visible, other)];
    const answers = await Promise.all(sides.map(({ world }) => sendAll(world, "ministry", asked)));
    expect(answers[0]?.map(printed)).not.toEqual(answers[1]?.map(printed));
  }
});
