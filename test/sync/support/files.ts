import { createMemoryStore, type Individual, type MemoryMedium } from "@fieldroll/core";
import { createFieldClient, type FieldClient, type FieldClientOptions, processLock } from "@fieldroll/sync";
import { v7 } from "uuid";
import { ok } from "./people.ts";
import { ana } from "./restored.ts";
import { credentials, type Device, type DeviceOptions, root, type World } from "./world.ts";

export const passphrase = "correct horse battery";
export const other = { ...credentials, clientId: "other" };

/** A file with everything that a tablet has not sent. */
export const fileOf = async ({ client }: Device) => (await ok(client.exportUnsent(passphrase))).file;
export const take = ({ client }: Device, file: string) => ok(client.importUnsent(file, passphrase));

export const born = (draft: Individual) => {
  draft.birthDate = "1990-01-01";
};

/** What an office changes, whatever the record says by then. */
export const asOffice = (world: World, patch: object, reference = ana) =>
  ok(world.view.individuals.patch(reference.slice(reference.indexOf("/") + 1), patch, { ifMatch: "*" }));
export const archive = (world: World, reference = ana) => asOffice(world, { active: false }, reference);

/** One more tablet, that knows everything. */
export async function tabletOf(world: World, name: string, options?: DeviceOptions): Promise<Device> {
  const tablet = world.device(name, options);
  await ok(tablet.client.signIn(credentials));
  await tablet.client.sync();
  return tablet;
}

/** For what takes more than one run. */
export async function run({ client }: Pick<Device, "client">, times: number): Promise<void> {
  for (let nth = 0; nth < times; nth++) await client.sync();
}

/** What a client with a service of its own is made of. */
type Parts = Exclude<FieldClientOptions, { readonly service: unknown }>;

/** A client on a medium of the test's own, with other parts than those of a device. */
export function clientOn(world: World, medium: MemoryMedium, parts: Partial<Parts> = {}): FieldClient {
  return createFieldClient({
    ...{ server: root, fetch: world.send, clock: world.now, random: () => 0, newId: v7 },
    ...{ store: createMemoryStore({ medium }), lock: processLock(), automatic: false },
    timers: { set: () => () => undefined },
    ...parts,
  });
}

/** What whoever has the passphrase finds in a file of unsent work, as JSON: read as decision 84 describes it, not by the code that is tested. */
export async function textIn(file: string, passphrase: string): Promise<string> {
  const { iterations, salt, iv, data } = JSON.parse(file);
  const [bytes, name] = [(text: string) => Buffer.from(text, "base64"), "AES-GCM"];
  const secret = await crypto.subtle.importKey("raw", Buffer.from(passphrase), "PBKDF2", false, [
    "deriveKey",
  ]);
  const rule = { name: "PBKDF2", hash: "SHA-256", salt: bytes(salt), iterations };
  const key = await crypto.subtle.deriveKey(rule, secret, { name, length: 256 }, false, ["decrypt"]);
  return new TextDecoder().decode(await crypto.subtle.decrypt({ name, iv: bytes(iv) }, key, bytes(data)));
}
