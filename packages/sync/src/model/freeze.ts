import {
  contentOf,
  diffMergePatch,
  isJsonObject,
  type JsonObject,
  type Links,
  type ResourceType,
  referenceTo,
  wireForm,
} from "@fieldroll/core";
import { sameContent, takesPhoto, under } from "./content.ts";
import type { Edit, FrozenRequest, OutboxEntry } from "./entry.ts";
import { isUponHidden, shownBy, withoutHidden } from "./hidden.ts";
import { withKeys } from "./in-names.ts";
import { nextStep, withoutPhoto } from "./next-step.ts";

/** What a record's unsent work comes to. */
export type Frozen =
  /** The server already has it all, or all but the photo, which is to be sent later. */
  { readonly kind: "nothing" | "later" } | { readonly kind: "request"; readonly request: FrozenRequest };

/**
 * Squashes the unsent work of a record into one minimal request: POST for a record the server has not, PATCH with
 * what differs from base, PUT with everything where there is no PATCH (memberships). Never fails: what the server may
 * refuse is for the server to refuse.
 *
 * @param options `key`: a new idempotency key; `at`: UTC instant, and `serverAt` the same by the server's time, where this device's clock is far from it; `epoch`: the server's, as the device last read it; without
 *   `photos`, a photo is left for a request of its own, and the edits that bring it stay until then; `keys`: what the server
 *   is to find under raw references
 */
export function freeze(
  entry: OutboxEntry,
  local: JsonObject,
  options: {
    readonly key: string;
    readonly at: string;
    readonly serverAt?: string;
    readonly epoch?: string | null;
    readonly photos?: boolean;
    readonly keys?: Links;
  },
): Frozen {
  const { type, base } = entry;
  const whole = nextStep(entry, local);
  const step = options.photos === false && takesPhoto(entry) ? withoutPhoto(entry, whole) : whole;
  // That nothing differs from base says nothing of what a request that was given up may have made of it, nor of what others have made of a
  // place that was typed back: the version tells.
  if (base && !entry.earlier && !entry.asked && sameContent(base, step.sent))
    return { kind: step === whole ? "nothing" : "later" };
  const { keys = {} } = options;
  const rest = {
    key: options.key,
    ...(Object.keys(keys).length > 0 && { keys }),
    sent: under(base, step.sent),
    covers: step.covers,
    ...(step.parts && { parts: step.parts }),
    frozenAt: options.at,
    ...(options.serverAt && { serverAt: options.serverAt }),
    ...skewOf(entry.edits, [...step.covers, ...(step.parts ?? [])]),
    epoch: options.epoch ?? null,
  };
  const wire = (record: JsonObject) => wireForm(type, contentOf(record));
  const sent = withKeys(type, wire(step.sent), keys);
  if (!base) {
    const body = JSON.stringify(sent);
    return {
      kind: "request",
      request: { method: "POST", path: `/${type}`, contentType: json, ifMatch: null, body, ...rest },
    };
  }
  return {
    kind: "request",
    request: {
      path: `/${referenceTo(type, base)}`,
      ifMatch: versionFor(base, step.sent),
      ...changeOf(type, { base, from: wire(base), to: sent }),
      ...rest,
    },
  };
}

function skewOf(edits: readonly Edit[], carried: readonly string[]): Pick<FrozenRequest, "clockSkew"> {
  const skews = edits.flatMap(({ id, skew }) => (skew !== undefined && carried.includes(id) ? [skew] : []));
  const [largest] = skews.sort((a, b) => Math.abs(b) - Math.abs(a));
  return largest === undefined ? {} : { clockSkew: largest };
}

/** What replaces a copy of the server's: all of it where there is no PATCH, with what was shown of it here. */
function changeOf(
  type: ResourceType,
  { base, from, to }: { readonly base: JsonObject; readonly from: JsonObject; readonly to: JsonObject },
): Pick<FrozenRequest, "method" | "contentType" | "body" | "shown"> {
  if (type === "ProgramMembership") {
    const shown = shownBy(base);
    const told = withoutHidden(base, { from, to });
    return { method: "PUT", contentType: json, body: JSON.stringify(told), ...(shown && { shown }) };
  }
  // Each extension is taken away by its name: there may be others that this device may not see.
  const extension = from.extension && { extension: {} };
  const body = JSON.stringify(diffMergePatch(from, { ...extension, ...to }));
  return { method: "PATCH", contentType: "application/merge-patch+json", body };
}

/** Whether edits made meanwhile change what is sent, so that a refusal speaks of what is not there any more. */
export function isCorrected(
  entry: OutboxEntry & { readonly request: FrozenRequest },
  local: JsonObject,
  at: string,
): boolean {
  const { key, keys = {}, sent, body } = entry.request;
  // A request that left the photo for later is no other one now.
  const next = freeze(entry, local, { key, at, keys, photos: sent.photo === local.photo });
  return next.kind !== "request" || next.request.body !== body;
}

const json = "application/json";

/** The version to be replaced; none that there is where this says something of what was hidden here: what is there is to be met first. */
function versionFor(base: JsonObject, sent: JsonObject): string | null {
  const { meta } = base;
  const version = isJsonObject(meta) && typeof meta.versionId === "string" ? meta.versionId : null;
  return version && isUponHidden(base, sent) ? "0" : version;
}
