import { beforeAll, describe, expect, it } from "vitest";
import { openUsual, person, type Service, startService } from "../contract/fixture.ts";

/** A JPEG's beginning, one scan of so much data, and its end. */
const photo = `data:image/jpeg;base64,${btoa(`\xff\xd8\xff\xda\0\x08\x01\x01\0\0\x3f\0${"x".repeat(300_000)}\xff\xd9`)}`;
/** One is worked on, and so many wait. */
const most = 17;
const crowd = 24;
const anyVersion = { "If-Match": "*" };

describe("many photos that come at once", () => {
  let service: Service;
  const at = (nth: number) => `/Individual/${encodeURIComponent(`urn:gov:ph:nid|${nth}`)}`;
  beforeAll(async () => {
    service = await startService({ open: openUsual });
    for (let nth = 1; nth <= crowd; nth++)
      await service.call({ method: "POST", path: "/Individual", body: person(String(nth)) });
  });

  it("are taken one after the other, and beyond the queue refused whole with 429 and Retry-After", async () => {
    const sent = Array.from({ length: crowd }, (_, nth) =>
      service.call({ method: "PATCH", path: at(nth + 1), body: { photo }, headers: anyVersion }),
    );
    const short = await service.call({ path: at(1) });
    expect(short.status).toBe(200);
    const answers = await Promise.all(sent);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(most);
    for (const [nth, { status, headers }] of answers.entries()) {
      const { body } = await service.call({ path: at(nth + 1) });
      expect(body.photo).toBe(status === 200 ? photo : undefined);
      if (status !== 200) expect([status, headers.get("Retry-After")]).toEqual([429, "5"]);
    }
  });
});
