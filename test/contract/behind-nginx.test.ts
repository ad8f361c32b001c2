import { type Listening, listen, nodeCompress } from "@fieldroll/server/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openHere, person, type Service, startService } from "./fixture.ts";
import { findNginx, installsNginx, nginxMissing, type ReverseProxy, startNginx } from "./support/nginx.ts";

const program = findNginx();
const gzip = ["gzip on;", "gzip_proxied any;", "gzip_types application/json;"];
const withoutCodings = 'proxy_set_header Accept-Encoding "";';

describe("whether nginx is installed for the tests", () => {
  const machine = { canInstall: true, hasNginx: false };
  const cases = [
    { name: "all tests, where there is none", expected: true },
    { name: "tests without a browser", args: ["--project=node"], expected: true },
    { name: "tests on PostgreSQL alone", args: ["--project=postgres"], expected: false },
    { name: "where there is one", on: { ...machine, hasNginx: true }, expected: false },
    { name: "without the right to install", on: { ...machine, canInstall: false }, expected: false },
    { name: "where it is not wanted", env: { FIELDROLL_NGINX: "none" }, expected: false },
  ];
  it.each(cases)("$name: $expected", ({ args = [], env = {}, on = machine, expected }) => {
    expect(installsNginx(args, env, on)).toBe(expected);
  });
});

if (program === undefined) {
  describe("behind nginx that compresses", () => {
    it("a client reads, edits and writes with the tag that it got", ({ skip }) => {
      // A run of CI installs it; without it these promises would be shown by nothing.
      expect(process.env.CI === "true" && process.env.FIELDROLL_NGINX !== "none", nginxMissing).toBe(false);
      skip(nginxMissing);
    });
  });
} else {
  describe.each([
    { what: "itself alone", lines: [...gzip, withoutCodings], tag: 'W/"1"', coding: "gzip" },
    { what: "what the server left as it is", lines: gzip, tag: 'W/"1"', coding: "gzip" },
    { what: "nothing, for the server does", compress: nodeCompress, lines: gzip, tag: '"1"', coding: "br" },
  ])("behind nginx that compresses $what", ({ compress, lines, tag, coding }) => {
    let service: Service;
    let server: Listening;
    let proxy: ReverseProxy;
    beforeAll(async () => {
      service = await startService({ open: openHere, handler: compress ? { compress } : {} });
      server = await listen({ handler: service.handle, port: 0 });
      proxy = await startNginx(program, server.url, lines);
    });
    afterAll(async () => {
      await proxy?.stop();
      await server?.close();
    });

    it("a client reads, edits and writes with the tag that it got", async () => {
      const line = Array.from({ length: 20 }, (_, n) => `Purok ${n}, Barangay San Isidro, Carcar City`);
      await service.call({ method: "POST", path: "/Individual", body: person("1", { address: [{ line }] }) });
      const url = `${proxy.url}/api/v2/Individual/urn:gov:ph:nid%7C1`;
      const headers = {
        Authorization: `Bearer ${await service.tokenOf("writer")}`,
        "Accept-Encoding": "br, gzip",
      };
      const read = await fetch(url, { headers });
      expect([read.headers.get("ETag"), read.headers.get("Content-Encoding")]).toEqual([tag, coding]);
      const record = (await read.json()) as object;
      const put = {
        method: "PUT",
        headers: { ...headers, "Content-Type": "application/json", "If-Match": tag },
        body: JSON.stringify({ ...record, birthDate: "1990-01-01" }),
      };
      const written = await fetch(url, put);
      expect([written.status, ((await written.json()) as { birthDate: string }).birthDate]).toEqual([
        200,
        "1990-01-01",
      ]);
      expect((await fetch(url, put)).status).toBe(409);
      const known = await fetch(url, { headers: { ...headers, "If-None-Match": 'W/"2"' } });
      expect(known.status).toBe(304);
    });
  });
}
