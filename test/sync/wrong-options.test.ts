import { createMemoryStore, disability, farmer, genderCodes, genderSystem } from "@fieldroll/core";
import {
  createFieldClient,
  createFieldService,
  type FieldClientOptions,
  type FieldServiceOptions,
} from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { root } from "./support/world.ts";

describe("a client without options, or with wrong ones", () => {
  it.each([[undefined], [null]])("is refused for %j with what is missing", (given) => {
    const sentence = "The option server must be a whole address such as https://registry.example/api/v2";
    expect(() => createFieldClient(given as unknown as FieldClientOptions)).toThrow(sentence);
    expect(() => createFieldService(given as unknown as FieldServiceOptions)).toThrow(sentence);
  });

  const feeds = 'a list of feeds: "all", "programs", areas such as "area:PH/Cavite", or the server\'s own';
  // Of a text for a list of feeds, each letter was a feed.
  it.each<[string, object, string]>([
    ["one feed without a list", { feeds: "area:PH" }, `feeds must be ${feeds}`],
    ["other words for photos", { photos: "wifi" }, 'photos must be "always" or "unmetered"'],
    [
      "a time in words",
      { pollInterval: "5 min" },
      "pollInterval must be a number of milliseconds, such as 60_000",
    ],
    [
      "no time at all",
      { requestTimeout: 0 },
      "requestTimeout must be a number of milliseconds, such as 60_000",
    ],
    [
      "a clock that stands still",
      { clock: new Date() },
      "clock must be a function that tells the present instant, such as () => new Date()",
    ],
    [
      "a clock that tells a number",
      { clock: () => 5 },
      "clock must be a function that tells the present instant, such as () => new Date()",
    ],
    ["no feed", { feeds: [] }, `feeds must be ${feeds}`],
    ["a feed without a name", { feeds: ["all", ""] }, `feeds must be ${feeds}`],
    ["an area without a country", { feeds: ["area:"] }, `feeds must be ${feeds}`],
    ["an area whose country has no code", { feeds: ["area:Kenya"] }, `feeds must be ${feeds}`],
    ["an area in small letters", { feeds: ["area:ph/leyte"] }, `feeds must be ${feeds}`],
    ["an area with a place without a name", { feeds: ["area:PH//Imus"] }, `feeds must be ${feeds}`],
    ["an option that there is not", { nope: 1 }, "there is no option nope"],
  ])("is not made with %s", (_, wrong, sentence) => {
    const options = { server: root, store: createMemoryStore(), automatic: false, ...wrong };
    expect(() => createFieldClient(options)).toThrow(`The options: ${sentence}.`);
  });

  it("is not made with a misspelt option", () => {
    const options = { sever: root, store: createMemoryStore() } as unknown as FieldServiceOptions;
    const sentence = 'The options: there is no option sever: did you mean "server"?';
    for (const make of [createFieldClient, createFieldService])
      expect(() => make(options)).toThrow(new TypeError(sentence));
  });

  // A deployment names feeds of its own, in areas too: what a server may have is for that to say.
  it("is made with all feeds that a server may have", async () => {
    const feeds = ["all", "programs", "north", "area:PH", "area:PH/Nueva Écija%2F1/San José/Poblacion"];
    await createFieldClient({ server: root, store: createMemoryStore(), automatic: false, feeds }).close();
  });

  it("is not over a service with an option that is the service's, which nobody would look at", () => {
    const service = createFieldService({ server: root, store: createMemoryStore(), automatic: false });
    const options = { service, feeds: ["all"] } as FieldClientOptions;
    expect(() => createFieldClient(options)).toThrow(
      new TypeError("createFieldClient over a service: there is no option feeds."),
    );
  });

  const [named, whole] = ["The options: rules must be an object, such as", "[farmer]"];
  // Once, what was misspelt was left out, and what was no list failed at the first record that had an extension.
  it.each<[string, unknown, string | RegExp]>([
    ["a number", 5, named],
    ["a list", [farmer], named],
    ["a misspelt one", { extension: [farmer] }, 'there is no option extension: did you mean "extensions"?'],
    ["an extension without a list", { extensions: farmer }, `extensions must be a list of declarations`],
    ["an extension by its name", { extensions: ["farmer"] }, `such as ${whole}.`],
    ["no name in the addresses", { namespace: "" }, 'namespace must be a word, such as "service".'],
    ["a list of vocabularies", { vocabularies: [] }, "vocabularies must be lists of codes by their system"],
    ["codes alone", { vocabularies: { "urn:x": ["f"] } }, "vocabularies must be lists of codes"],
    ["a list of capabilities", { capabilities: ["programs"] }, "{ programs: true } or { programs: false }."],
    [
      "a capability in words",
      { capabilities: { programs: "no" } },
      "The option rules: capabilities must be ",
    ],
  ])("is not made with rules that are %s", (_, rules, sentence) => {
    const options = { server: root, store: createMemoryStore(), automatic: false, rules };
    expect(() => createFieldService(options as FieldServiceOptions)).toThrow(TypeError);
    expect(() => createFieldService(options as FieldServiceOptions)).toThrow(sentence);
  });

  it("is made with all rules there are", async () => {
    const rules = {
      ...{ namespace: "gov", extensions: [farmer, disability], capabilities: { programs: false } },
      vocabularies: { [genderSystem]: { codes: genderCodes, open: true } },
    };
    await createFieldService({ server: root, store: createMemoryStore(), automatic: false, rules }).close();
  });

  const without = "without a user, query or fragment; it is";
  const serverSentence = `The option server must be a whole address such as https://registry.example/api/v2, ${without}`;
  const authSentence = `The option authServer must be a whole address such as https://sign-in.example, ${without}`;
  it.each<[string, object, string]>([
    ["an address that is no text", { server: new URL(root) }, `${serverSentence} a URL and not its text.`],
    [
      "a place for tokens that is no text",
      { authServer: new URL(root) },
      `${authSentence} a URL and not its text.`,
    ],
    ["a place for tokens that is none", { authServer: "x" }, `${authSentence} "x".`],
    ["a place for tokens behind a query", { authServer: "https://a?b" }, `${authSentence} "https://a?b".`],
    ["a password for tokens", { authServer: "https://a:pw@b.example" }, `${authSentence} "…@b.example".`],
    // Once, the sign-in succeeded and each sync was told to check the network.
    ["a password", { server: "http://u:p@h.test/api/v2" }, `${serverSentence} "…@h.test/api/v2".`],
    ["a user", { server: "http://u@h.test/api/v2" }, `${serverSentence} "…@h.test/api/v2".`],
    ["a password that is no address", { server: "u:p/@q@h.test" }, `${serverSentence} "…@h.test".`],
    ["a query", { server: "http://h.test/api/v2?" }, `${serverSentence} "http://h.test/api/v2?".`],
    ["a fragment", { server: "http://h.test/api/v2#a" }, `${serverSentence} "http://h.test/api/v2#a".`],
  ])("is not made with %s", (_, wrong, sentence) => {
    const options = { server: root, store: createMemoryStore(), automatic: false, ...wrong };
    expect(() => createFieldService(options)).toThrow(new TypeError(sentence));
  });

  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["an object", {}],
    ["a promise", Promise.resolve({})],
    ["a store", createMemoryStore()],
  ])("is not made over %s in the place of a service", (_, service) => {
    expect(() => createFieldClient({ service } as FieldClientOptions)).toThrow(
      new TypeError(
        "createFieldClient: service must be a service, such as createFieldService(…) gives; await what makes one.",
      ),
    );
  });

  it("is made at an address with a port and a path in which an @ is", async () => {
    const [server, authServer] = ["http://127.0.0.1:8080/@me/api/v2/", "http://[::1]:8081"];
    await createFieldClient({ server, authServer, store: createMemoryStore(), automatic: false }).close();
  });

  it("is made over a service, or over a server and a store", async () => {
    const service = createFieldService({ server: root, store: createMemoryStore(), automatic: false });
    await createFieldClient({ service }).close();
  });
});
