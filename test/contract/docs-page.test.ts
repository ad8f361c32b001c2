import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { problemKinds } from "@fieldroll/core";
import { listen } from "@fieldroll/server/node";
import { beforeAll, describe, expect, it } from "vitest";
import { addProgram, origin, type Service, startService } from "./fixture.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
});

async function page(path: string) {
  const { status, headers, body } = await service.call({ path: `${origin}${path}`, as: null });
  return { status, headers, html: String(body) };
}

function all(html: string, pattern: RegExp): readonly string[] {
  return [...html.matchAll(pattern)].map(([, found = ""]) => found);
}

const stepTitles = [
  "Get a token",
  "Read",
  "Create",
  "Change what you have read",
  "Make a household of two",
  "Enroll the household in a program",
  "Record a person&#39;s consent",
  "Follow what changes",
];

/** The last answer that a step printed; curl ends none with a line end. */
function lastAnswer(printed: string) {
  return JSON.parse(
    printed
      .trim()
      .split(/\n|(?<=\})(?=\{)/)
      .at(-1) ?? "",
  );
}

/** The article with an id. */
function section(html: string, id: string): string {
  return html.match(new RegExp(`<article class="\\w+" id="${id}">[\\s\\S]*?</article>`))?.[0] ?? "";
}

/** Text of HTML. */
function plain(html: string): string {
  return html
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** What a command prints; the server it talks to is in this process, so it may not wait for it by blocking. */
async function output(command: string, words: readonly string[]): Promise<string> {
  return (await promisify(execFile)(command, words)).stdout;
}

const pages = [
  "/docs",
  "/api/v2/docs",
  "/errors",
  "/api/v2/errors",
  "/errors/conflict",
  "/api/v2/errors/conflict",
];

describe("every page", () => {
  it.each(pages)("%s is HTML that may load nothing, run nothing and be framed by nobody", async (path) => {
    const { status, headers, html } = await page(path);
    expect([status, headers.get("Content-Type")]).toEqual([200, "text/html; charset=utf-8"]);
    const policy = headers.get("Content-Security-Policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(html).not.toMatch(/<script|<link|<img|<iframe| on\w+=| style=|@import|url\(/i);
  });

  it.each(pages)("%s has one style, of the hash that its policy allows", async (path) => {
    const { headers, html } = await page(path);
    const [style = "", ...others] = all(html, /<style>([\s\S]*?)<\/style>/g);
    expect(others).toEqual([]);
    const hash = createHash("sha256").update(style).digest("base64");
    expect(headers.get("Content-Security-Policy")).toContain(`'sha256-${hash}'`);
  });

  it.each(pages)("%s says its language, its title and that it fits a phone", async (path) => {
    const { html } = await page(path);
    expect(html).toContain('<html lang="en">');
    expect(html).toMatch(/<title>[^<]{5,}<\/title>/);
    expect(html).toContain('name="viewport" content="width=device-width');
  });
});

describe("the page of the interface", () => {
  it("has each operation of the document, and leads to it from its contents", async () => {
    const { html } = await page("/docs");
    const { body } = await service.call({ path: "/openapi.json", as: null });
    const items: Record<string, { operationId?: string; summary?: string }>[] = Object.values(body.paths);
    const ids = items.flatMap((item) => Object.values(item).flatMap(({ operationId }) => operationId ?? []));
    expect(ids.length).toBeGreaterThan(40);
    for (const id of ids) {
      expect(html, id).toContain(`id="${id}"`);
      expect(html, id).toContain(`href="#${id}"`);
    }
  });

  it("names what may be sent as a change request, with an example and the members of each type", async () => {
    const { html } = await page("/docs");
    const operation = section(html, "submitChangeRequest");
    for (const [type, name] of [
      ["add_farmer", "AddFarmerChange"],
      ["edit_farmer", "EditFarmerChange"],
      ["create_farm", "CreateFarmChange"],
      ["grant_consent", "GrantConsentChange"],
      ["reopen_enrollment", "ReopenEnrollmentChange"],
    ] as const) {
      expect(operation).toContain(`<a href="#schema-${name}">${name}</a>: A change of the type ${type}.`);
      expect(operation).toContain(`<summary>Example of ${type}</summary>`);
      expect(section(html, `schema-${name}`)).toContain(`<a href="#schema-${name}Data">`);
    }
    expect(section(html, "schema-GrantConsentChangeData")).toMatch(/<code>fieldAccess<\/code>.*required/);
    expect(html).not.toMatch(/object or object/);
  });

  it("names what may be null, where it has a name", async () => {
    const patch = section((await page("/docs")).html, "schema-IndividualPatch");
    const gender = /<dt><code>gender<\/code> (.*)<\/dt>/.exec(patch)?.[1];
    expect(gender).toContain('<a href="#schema-CodeableConceptPatch">CodeableConceptPatch</a> or null');
    expect(patch).toContain("string (date) or null");
    expect(patch).toContain("Facts about a person&#39;s farm.");
    expect(patch).toContain('list of <a href="#schema-Telecom">Telecom</a> or null');
  });

  it("tells the range and the default of a parameter, and the words it may be", async () => {
    const requests = section((await page("/docs")).html, "listChangeRequests");
    expect(requests).toMatch(/<code>limit<\/code> [^\n]*integer, at least 1, at most 500, default 20/);
    expect(requests).toMatch(/<code>status<\/code> [^\n]*list of <code>draft<\/code>, <code>pending/);
  });

  it("speaks of problem details by the newest RFC alone", async () => {
    const { html } = await page("/docs");
    expect(html).toContain("RFC 9457");
    expect(html).not.toContain("RFC 7807");
  });

  it("has no link that leads nowhere", async () => {
    const { html } = await page("/docs");
    const anchors = new Set(all(html, / id="([^"]+)"/g));
    const links = [...new Set(all(html, / href="([^"]+)"/g))];
    const inside = links.filter((link) => link.startsWith("#"));
    expect(inside.filter((link) => !anchors.has(link.slice(1)))).toEqual([]);
    for (const link of links.filter((one) => !one.startsWith("#"))) {
      expect((await page(`/${link}`)).status, link).toBe(200);
    }
  });

  it("begins with first steps, from a token to a feed of changes", async () => {
    const { html } = await page("/docs");
    expect(all(html, /<h2>([^<]+)/g)[0]).toBe("First steps");
    expect(all(html, /<h3>([^<]+)/g).slice(0, 8)).toEqual(stepTitles);
    expect(html.indexOf("If-Match: $etag")).toBeLessThan(html.indexOf("<nav"));
    expect(html).toContain("client_secret=your-client-secret");
  });

  it("says in first steps what is not to be had over HTTP", async () => {
    const { html } = await page("/docs");
    const steps = html.slice(0, html.indexOf("<nav"));
    expect(steps).toContain("no list of a person&#39;s consents over HTTP");
    expect(steps).toContain("Programs, their cycles, entitlements and funds are not made over HTTP");
  });

  it("has first steps only of what the deployment has", async () => {
    const registry = { capabilities: { programs: false }, changeRequestTypes: [] };
    const { handle } = await startService({ registry });
    const html = await (await handle(new Request(`${origin}/docs`))).text();
    const steps = all(html.slice(0, html.indexOf("<nav")), /<h3>([^<]+)/g);
    expect(steps).toEqual(stepTitles.filter((title) => !/Enroll|consent/.test(title)));
  });

  it.skipIf(spawnSync("curl", ["--version"]).status !== 0)(
    "has first steps that work as they are printed",
    async () => {
      const exampleClient = { id: "writer", secret: "writer-secret" };
      const shown = await startService({ handler: { exampleClient } });
      await addProgram(shown.registry);
      const listening = await listen({ handler: shown.handle, port: 0 });
      const html = await (await fetch(`${listening.url}/docs`)).text();
      const steps = all(html, /<pre class="shell"[^>]*><code>([\s\S]*?)<\/code>/g).map(plain);
      const printed = await output("sh", ["-euc", steps.join("\necho ----\n")]);
      await listening.close();
      const [, , created = "", changed = "", household = "", enrolled = "", consent = "", feed = ""] =
        printed.split(/----\n/);
      expect(created).toMatch(/HTTP\/1\.1 201/);
      expect(lastAnswer(changed)).toMatchObject({ birthDate: "1988-04-02", meta: { versionId: "2" } });
      expect(lastAnswer(household)).toMatchObject({ name: "Reyes", quantity: 2 });
      expect(lastAnswer(enrolled)).toMatchObject({
        status: "enrolled",
        beneficiary: { reference: "Group/urn:example:household|HH-1" },
      });
      expect(lastAnswer(consent)).toMatchObject({
        status: "given",
        subject: { reference: "Individual/urn:example:id|4711" },
      });
      const { data } = lastAnswer(feed);
      expect(data).toMatchObject([{ change: "upsert", reference: "Individual/urn:example:id|4713" }]);
      expect(data).toHaveLength(1);
    },
  );

  it("writes what looks like HTML as text", async () => {
    const { html } = await page("/docs");
    expect(html).toContain("&lt;system&gt;|&lt;value&gt;");
    expect(html).not.toContain("<system>");
  });

  it("is given with a tag, by which a copy is kept", async () => {
    const { headers } = await page("/docs");
    const known = { "If-None-Match": headers.get("ETag") ?? "" };
    const again = await service.call({ path: `${origin}/docs`, as: null, headers: known });
    expect(again.status).toBe(304);
  });
});

describe("the pages of problems", () => {
  it.each(Object.entries(problemKinds))(
    "say what %s means and what a client should do",
    async (kind, { title, status }) => {
      const { html } = await page(`/errors/${kind}`);
      expect(html).toContain(`<h1>${title}</h1>`);
      expect(html).toContain(`HTTP status ${status}`);
      expect(html).toContain(`urn:service:error:${kind}`);
      expect(html).toMatch(/What it means<\/h2><p>.{20,}<\/p>/);
      expect(html).toMatch(/What to do<\/h2><p>.{10,}<\/p>/);
    },
  );

  it("are listed on a page of their own, to which each leads back", async () => {
    const { html } = await page("/errors");
    // Those that the listener answers, of types that have another status elsewhere.
    for (const status of ["408", "417", "431"]) expect(html).toContain(`status ${status}`);
    for (const [kind, { title, status }] of Object.entries(problemKinds)) {
      expect(html).toContain(`<a href="errors/${kind}">${title}</a>`);
      expect(html).toMatch(
        new RegExp(
          `${status}, <code>urn:service:error:${kind}</code></span></dt>\n<dd><p>.{20,}</p><p>.{20,}</p>`,
        ),
      );
      expect((await page(`/errors/${kind}`)).html).toContain('href="../errors"');
    }
  });

  it("are not found for other words", async () => {
    const { status, headers } = await service.call({ path: `${origin}/errors/nothing`, as: null });
    expect([status, headers.get("Content-Type")]).toEqual([404, "application/problem+json"]);
  });
});
