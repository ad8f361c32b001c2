import type { Fetch } from "@fieldroll/sync";

/** How networks misbehave. */
export const faults = [
  "request lost",
  "answer lost",
  "duplicated",
  "503",
  "HTML 200",
  "401",
  "500",
  "500 after the deed",
  "cut short",
] as const;

export type Fault = (typeof faults)[number];

/** Stands between a device and its server, and does to each request what `draw` says. */
export function faulty(send: Fetch, draw: () => Fault | null): Fetch {
  return async (url, init) => {
    const fault = url.endsWith("/oauth2/token") ? null : draw();
    switch (fault) {
      case null:
        return send(url, init);
      case "request lost":
        throw new TypeError("connection refused");
      case "answer lost":
        await send(url, init);
        throw new TypeError("connection reset");
      case "duplicated": {
        const [, second] = [await send(url, init), await send(url, init)];
        return second;
      }
      case "503":
        return new Response("busy", { status: 503, headers: { "retry-after": "2" } });
      case "HTML 200":
        return new Response("<html>Welcome to our network</html>", {
          status: 200,
          headers: { "content-type": "text/html" },
        });
      case "401":
        return new Response("", {
          status: 401,
          headers: { "www-authenticate": 'Bearer error="invalid_token"' },
        });
      case "500":
        return new Response("", { status: 500 });
      case "500 after the deed":
        await send(url, init);
        return new Response("", { status: 500 });
      case "cut short": {
        const whole = await (await send(url, init)).text();
        return new Response(whole.slice(0, whole.length / 2), {
          status: 200,
          headers: { "content-type": "application/json" },
        });
      }
    }
  };
}
