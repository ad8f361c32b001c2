import { describe, expect, it } from "vitest";
import { Answer } from "./answer.ts";
import { acceptedCoding, createEncoder, isCompressible } from "./content-coding.ts";

describe("acceptedCoding", () => {
  it.each<[header: string | null, coding: string | undefined]>([
    [null, undefined],
    ["", undefined],
    ["gzip", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["gzip;q=0.5, br;q=0.5", "br"],
    ["br;q=0, gzip", "gzip"],
    ["br;q=0.000, gzip;q=0", undefined],
    ["*", "br"],
    ["*;q=0", undefined],
    ["*, br;q=0", "gzip"],
    ["gzip;q=0.4, *;q=0.8", "br"],
    ["identity", undefined],
    ["identity, gzip;q=0.5", undefined],
    ["identity;q=0.5, gzip", "gzip"],
    ["identity;q=0.5, *;q=0", undefined],
    ["identity;q=0", undefined],
    ["GZIP", "gzip"],
    ["x-gzip", "gzip"],
    ["gzip ; q = 0.5", "gzip"],
    ["gzip;q=2, br;q=high, deflate", undefined],
    ["gzipped, brotli", undefined],
    [",,gzip,", "gzip"],
  ])("of %j is %s", (header, coding) => {
    expect(acceptedCoding(header)).toBe(coding);
  });
});

describe("isCompressible", () => {
  it.each([
    ["application/json", true],
    ["application/problem+json", true],
    ["application/manifest+json", true],
    ["text/html; charset=utf-8", true],
    ["text/javascript; charset=utf-8", true],
    ["image/svg+xml", true],
    ["application/wasm", true],
    ["image/png", false],
    ["font/woff2", false],
    ["application/octet-stream", false],
    ["", false],
  ])("of %j is %s", (mediaType, isText) => {
    expect(isCompressible(mediaType)).toBe(isText);
  });
});

describe("an encoder", () => {
  const long = "a".repeat(1000);
  const request = (method = "GET") =>
    new Request("http://registry.test/", { method, headers: { "Accept-Encoding": "gzip" } });
  const through = (headers: Record<string, string>, body: string | null = long, method?: string) =>
    createEncoder(() => new Uint8Array(3))(
      request(method),
      new Answer(200, { "Content-Type": "application/json", ...headers }, body),
    );

  it("leaves the entity tag, and says that the answer depends on Accept-Encoding", async () => {
    const { headers, body } = await through({ ETag: '"3"', Vary: "Origin" });
    expect(body).toHaveLength(3);
    expect(headers).toEqual({
      ETag: '"3"',
      Vary: "Origin, Accept-Encoding",
      "Content-Encoding": "gzip",
      "Content-Type": "application/json",
    });
  });

  it.each<[string, ReturnType<typeof through>, vary: string | undefined]>([
    ["is shorter than a kilobyte", through({}, "a".repeat(999)), "Accept-Encoding"],
    ["is longer than 2 MiB", through({}, "a".repeat(2 * 1024 * 1024 + 1)), "Accept-Encoding"],
    ["has no body", through({}, null), "Accept-Encoding"],
    ["is to a HEAD", through({}, long, "HEAD"), "Accept-Encoding"],
    ["may not be transformed", through({ "cache-control": "no-store, no-transform" }), undefined],
    ["is encoded already", through({ "Content-Encoding": "br" }), undefined],
    ["is an image", through({ "Content-Type": "image/png" }), undefined],
  ])("leaves an answer as it is that %s", async (_case, answer, vary) => {
    const { headers, body } = await answer;
    expect(body === null || body.length > 3).toBe(true);
    expect(headers["Content-Encoding"]).not.toBe("gzip");
    expect(headers.Vary).toBe(vary);
  });

  it("leaves an answer as it is while it compresses as many as it may at once, and compresses the next one", async () => {
    const ends: (() => void)[] = [];
    const slow = () =>
      new Promise<Uint8Array<ArrayBuffer>>((resolve) => ends.push(() => resolve(new Uint8Array(3))));
    const encode = createEncoder(slow, 2);
    const send = () => encode(request(), new Answer(200, { "Content-Type": "application/json" }, long));
    const first = [send(), send()];
    const third = await send();
    expect([third.body, third.headers["Content-Encoding"]]).toEqual([long, undefined]);
    expect(third.headers.Vary).toBe("Accept-Encoding");
    for (const end of ends.splice(0)) end();
    expect((await Promise.all(first)).map(({ body }) => body)).toEqual([
      new Uint8Array(3),
      new Uint8Array(3),
    ]);
    const next = send();
    for (const end of ends) end();
    expect((await next).headers["Content-Encoding"]).toBe("gzip");
  });

  it("counts no answer whose compression failed", async () => {
    let fails = true;
    const encode = createEncoder(() => {
      if (fails) throw new Error("out of memory");
      return new Uint8Array(3);
    }, 1);
    const send = () => encode(request(), new Answer(200, { "Content-Type": "application/json" }, long));
    await expect(send()).rejects.toThrow("out of memory");
    fails = false;
    expect((await send()).headers["Content-Encoding"]).toBe("gzip");
  });
});
