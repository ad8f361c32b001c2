import { expect } from "vitest";
import { codeOf, mustCommit, person, personKey, type StoreCase } from "./describe-store-harness.ts";

/** Claims. */
export const claimCases: readonly StoreCase[] = [
  {
    about: "claims",
    name: "resolve finds the holder of each claim, place by place",
    async run({ store }) {
      const home = { ...person("h", { collection: "homes", claims: ["three"] }) };
      await mustCommit(store, { put: [person("a", { claims: ["one", "two"] }), home] });
      const found = await store.resolve(["two", "nobody's", "three", "one", "two"]);
      const a = personKey("a");
      expect(found).toEqual([a, undefined, { collection: "homes", key: "h" }, a, a]);
      expect(await store.resolve([])).toEqual([]);
    },
  },
  {
    about: "claims",
    name: "words that media have for nothing are claims like any others, and nobody holds what none can be",
    async run({ store }) {
      const words = ["NULL", "null", "undefined", "{}"];
      await mustCommit(store, { put: [person("a", { claims: words })] });
      const found = await store.resolve(["\u0000", "NULL", "", "{}", "\ud800"]);
      expect(found).toEqual([undefined, personKey("a"), undefined, personKey("a"), undefined]);
      const result = await store.commit({ expect: words.map((claim) => ({ kind: "free", claim })) });
      expect(result.ok || result.failures).toHaveLength(words.length);
    },
  },
  {
    about: "claims",
    name: "who holds a claim with U+FFFD does not hold one with half a surrogate pair in its place, which nobody can",
    async run({ store }) {
      const held = ["\ufffd", "a\ufffd", "\ufffdb", "a\ufffd\ufffdb"];
      await mustCommit(store, { put: [person("a", { claims: held })] });
      expect(await store.resolve(held)).toEqual(held.map(() => personKey("a")));
      for (const half of ["\ud83d", "\ude00"]) {
        for (const claim of held.map((each) => each.replaceAll("\ufffd", half))) {
          const title = JSON.stringify(claim);
          expect(await store.resolve([claim]), title).toEqual([undefined]);
          expect(await store.find?.(claim), title).toBeUndefined();
          const expectFree = { expect: [{ kind: "free", claim }] } as const;
          expect(await codeOf(() => store.commit(expectFree)), title).toBe("bad-request");
          const put = [person("b", { claims: [claim] })];
          expect(await codeOf(() => store.commit({ put })), title).toBe("bad-request");
        }
      }
      expect(await store.get([personKey("b")])).toEqual([undefined]);
      const put = [person("b", { claims: ["\ufffd\ufffd", "😀"] })];
      await mustCommit(store, { put });
      expect(await store.resolve(["😀", "\ufffd\ufffd", "\ufffd"])).toMatchObject([
        { key: "b" },
        { key: "b" },
        { key: "a" },
      ]);
    },
  },
  {
    about: "claims",
    name: "a put frees the claims that it does not repeat",
    async run({ store }) {
      await mustCommit(store, { put: [person("a", { claims: ["kept", "dropped"] })] });
      await mustCommit(store, { put: [person("a", { version: 2, claims: ["kept", "added"] })] });
      const a = personKey("a");
      expect(await store.resolve(["kept", "dropped", "added"])).toEqual([a, undefined, a]);
      await mustCommit(store, { put: [person("b", { claims: ["dropped"] })] });
    },
  },
  {
    about: "claims",
    name: "a removal frees the document's claims",
    async run({ store }) {
      await mustCommit(store, { put: [person("a", { claims: ["one"] })] });
      await mustCommit(store, { remove: [personKey("a")] });
      expect(await store.resolve(["one"])).toEqual([undefined]);
      await mustCommit(store, { put: [person("b", { claims: ["one"] })] });
      expect(await store.resolve(["one"])).toEqual([personKey("b")]);
    },
  },
  {
    about: "claims",
    name: "a claim is unique over all collections",
    async run({ store }) {
      await mustCommit(store, { put: [person("a", { claims: ["one"] })] });
      const result = await store.commit({
        put: [person("a", { collection: "homes", claims: ["zero", "one"] })],
      });
      expect(result).toEqual({
        ok: false,
        failures: [{ kind: "claim-taken", claim: "one", holder: personKey("a") }],
      });
      expect(await store.resolve(["zero"])).toEqual([undefined]);
    },
  },
  {
    about: "claims",
    name: "a claim moves in one commit that also puts or removes its holder",
    async run({ store }) {
      await mustCommit(store, { put: [person("a", { claims: ["one"] }), person("b", { claims: ["two"] })] });
      const swapped = [
        person("a", { version: 2, claims: ["two"] }),
        person("b", { version: 2, claims: ["one"] }),
      ];
      await mustCommit(store, { put: swapped });
      expect(await store.resolve(["one", "two"])).toEqual([personKey("b"), personKey("a")]);
      await mustCommit(store, {
        put: [person("c", { claims: ["one", "two"] }), person("a")],
        remove: [personKey("b")],
      });
      expect(await store.resolve(["one", "two"])).toEqual([personKey("c"), personKey("c")]);
    },
  },
  {
    about: "claims",
    name: "a claim declared twice by one document is one claim",
    async run({ store }) {
      await mustCommit(store, { put: [person("a", { claims: ["one", "one"] })] });
      expect(await store.resolve(["one"])).toEqual([personKey("a")]);
      await mustCommit(store, { put: [person("a", { version: 2 })] });
      expect(await store.resolve(["one"])).toEqual([undefined]);
    },
  },
  {
    about: "claims",
    name: "claims are compared exactly",
    async run({ store }) {
      const claims = ["José", "Jose\u0301", "jose", "JOSÉ", "José ", "José😀", "%", "_", "علي", "अली"];
      await mustCommit(store, { put: claims.map((claim, i) => person(`${i}`, { claims: [claim] })) });
      expect(await store.resolve(claims)).toEqual(claims.map((_, i) => personKey(`${i}`)));
      expect(await store.resolve(["Jos", "José😀 ", "ali"])).toEqual([undefined, undefined, undefined]);
    },
  },
  {
    about: "claims",
    name: "of 100 simultaneous commits that make the same claim exactly one is made",
    async run({ store }) {
      const commits = Array.from({ length: 100 }, (_, i) =>
        store.commit({ put: [person(`${i}`, { claims: ["the one"] })] }),
      );
      const results = await Promise.all(commits);
      const winner = results.findIndex((result) => result.ok);
      expect(results.filter((result) => result.ok)).toHaveLength(1);
      expect(await store.resolve(["the one"])).toEqual([personKey(`${winner}`)]);
      for (const result of results) {
        if (!result.ok) expect(result.failures).toMatchObject([{ holder: personKey(`${winner}`) }]);
      }
    },
  },
];
