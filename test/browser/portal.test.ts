import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { openGate } from "./stage/gate.ts";
import { makeOtherBuild } from "./stage/other-build.ts";
import { openScene, type Scene } from "./stage/scene.ts";

const soon = { timeout: 30_000 };
const sentence = "This network may ask you to sign in first.";
const page = "<!doctype html><title>Hotel guests</title><form>Room number <input></form>";

/** What a network does in the place of the server. */
type Portal = (answer: ServerResponse) => void;

const withPage =
  (status: number): Portal =>
  (answer) =>
    void answer.writeHead(status, { "Content-Type": "text/html; charset=utf-8" }).end(page);
const to =
  (status: number): Portal =>
  (answer) =>
    void answer.writeHead(status, { Location: "http://127.0.0.1:9/guests" }).end();

const portals: readonly (readonly [string, Portal])[] = [
  ["200 and its page, as DNS that answers everything does", withPage(200)],
  ["301", to(301)],
  ["302", to(302)],
  ["307", to(307)],
  ["401 and its page", withPage(401)],
  ["403 and its page", withPage(403)],
  ["404 and its page", withPage(404)],
  ["511 and its page", withPage(511)],
  ["no connection, as with a certificate of somebody else", (answer) => void answer.destroy()],
];

describeInChromium("A network that wants a sign-in of its own, and answers with", (executablePath) => {
  let folder = "";
  let scene: Scene;
  let portal: { readonly does: Portal; readonly to: (asked: IncomingMessage) => boolean } | null = null;
  const gates: Server[] = [];

  const tab = () => scene.device.page();
  const notice = () => tab().getByText(sentence, { exact: true });
  const isApi = ({ url = "" }: IncomingMessage) => /^\/(api|oauth2|metadata)/.test(url);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fieldroll-portal-"));
    const gate = async (server: number) => {
      const opened = await openGate(server, (asked, answer) => {
        if (!portal?.to(asked)) return false;
        portal.does(answer);
        return true;
      });
      gates.push(opened);
      const address = opened.address();
      return typeof address === "object" && address ? address.port : 0;
    };
    scene = await openScene({ name: "portal", executablePath, height: 900, gate });
  });
  afterEach(() => {
    portal = null;
  });
  afterAll(async () => {
    await scene?.close();
    for (const gate of gates) gate.close();
    await rm(folder, { recursive: true, force: true });
  });

  const isTold = async () => {
    await notice().waitFor(soon);
    const link = tab().getByRole("link", { name: "Open the network’s sign-in page" });
    expect(await link.getAttribute("href")).toMatch(/^http:.*\/metadata$/);
    expect(await link.getAttribute("target")).toBe("_blank");
  };

  it.each(portals)("%s is told at the sign-in", async (_name, does) => {
    portal = { does, to: isApi };
    await tab().reload();
    await scene.on.fill("User name", "enumerator");
    await scene.on.fill("Password", "walk-house-to-house");
    await scene.on.press("Sign in");
    await isTold();
  });

  it("nothing any more lets the person sign in, and is told no longer", async () => {
    await tab().reload();
    await scene.signIn("area:PH/Cavite");
    await expect.poll(() => notice().count(), soon).toBe(0);
    await scene.on.isAvailableOffline();
  });

  it.each(portals)("%s is told at a sync, and nobody is signed out", async (_name, does) => {
    portal = { does, to: isApi };
    await scene.on.open("#/sync");
    await scene.on.press("Sync now");
    await isTold();
    expect(await tab().getByLabel("Password").count()).toBe(0);
    portal = null;
    await scene.on.press("Sync now");
    await expect.poll(() => notice().count(), soon).toBe(0);
  });

  it.each(portals)("%s is taken for no version of the app", async (_name, does) => {
    portal = { does, to: () => true };
    const updated = await tab().evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      await registration?.update().catch(() => undefined);
      return Boolean(registration?.installing ?? registration?.waiting);
    });
    expect(updated).toBe(false);
    await tab().reload();
    await tab().getByRole("link", { name: "Find", exact: true }).waitFor(soon);
  });

  it("its page while a new version is fetched leaves the former one, until the files come", async () => {
    const next = await makeOtherBuild(folder, "second");
    await scene.deploy(next);
    portal = { does: withPage(200), to: ({ url = "" }) => /^\/(assets|index)/.test(url) };
    const look = () =>
      tab().evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        await registration?.update().catch(() => undefined);
        const coming = registration?.installing;
        if (coming)
          await new Promise<void>((resolve) => {
            coming.onstatechange = () => coming.state !== "installing" && resolve();
          });
        return registration?.waiting ? "waits" : "none";
      });
    expect(await look()).toBe("none");
    portal = null;
    expect(await look()).toBe("waits");
  });
});
