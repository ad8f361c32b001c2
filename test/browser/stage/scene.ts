import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startDemonstration } from "./demonstration.ts";
import { type Device, openDevice } from "./device.ts";
import { type Screens, screensOf } from "./screens.ts";
import { type Office, openOffice } from "./server.ts";

const supervisor = { id: "supervisor", secret: "look-twice-sign-once" };

/** One tablet, and a server with demo data on which an office works, too. */
export interface Scene {
  readonly office: Office;
  readonly device: Device;
  readonly on: Screens;
  /** Signs the enumerator in, and waits until all of an area, or of all, is on the tablet. */
  signIn(feed?: string): Promise<void>;
  /** Restarts the server with another build of the app, from this folder. */
  deploy(app: string): Promise<void>;
  close(): Promise<void>;
}

/** @param name of the pictures' folder */
export async function openScene(options: {
  readonly name: string;
  readonly executablePath: string;
  readonly height: number;
  /** Default 800. */
  readonly width?: number;
  /** Folder of the built app. Default: what was built before the tests. */
  readonly app?: string;
  /** Opens what stands between the device and a server, also one that was started anew. @returns its port */
  readonly gate?: (server: number) => Promise<number>;
}): Promise<Scene> {
  const { name, executablePath, height, width = 800 } = options;
  const pictures = fileURLToPath(new URL(`../../../.artifacts/${name}`, import.meta.url));
  await rm(pictures, { recursive: true, force: true });
  const folder = await mkdtemp(join(tmpdir(), `fieldroll-${name}-`));
  const database = join(folder, "registry.db");
  const start = (app?: string) => startDemonstration(database, app === undefined ? [] : ["--app", app]);
  let server = await start(options.app);
  const end = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const screen = { width, height };
  const portTo = async () => (options.gate ? options.gate(server.port) : server.port);
  const [office, device] = await Promise.all([
    openOffice(server.url, supervisor),
    openDevice({ name, executablePath, folder, server: await portTo(), pictures, screen }),
  ]).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  const on = screensOf(device);
  return {
    ...{ office, device, on },
    async deploy(app) {
      await server.stop();
      server = await start(app);
      device.line.leadTo(await portTo());
    },
    async signIn(feed) {
      if (feed !== undefined) await device.page().goto(`${device.address}?feed=${encodeURIComponent(feed)}`);
      await on.signIn("enumerator", "walk-house-to-house");
      await on.firstSyncIsComplete();
    },
    async close() {
      await device.close();
      await end();
    },
  };
}
