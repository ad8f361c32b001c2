import { createHash } from "node:crypto";
import { problemKinds } from "@fieldroll/core";
import { beforeAll, describe, expect, it } from "vitest";
import { origin, type Service, startService } from "./fixture.ts";

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

const pages = ["/docs", "/api/v2/docs", "/errors/conflict", "/api/v2/errors/conflict"];

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

  it("are not found for other words", async () => {
    const { status, headers } = await service.call({ path: `${origin}/errors/nothing`, as: null });
    expect([status, headers.get("Content-Type")]).toEqual([404, "application/problem+json"]);
  });
});
