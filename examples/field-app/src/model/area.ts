import { areaFeeds, type JsonObject, type PostalAddress, type ResourceType } from "@fieldroll/core";
import { texts } from "../texts.ts";
import { type AddressValues, withHomeAddress } from "./address-form.ts";
import { addressLines, homeAddress } from "./person-text.ts";

/** What hangs on a record's addresses: which area it is in. */
export interface Placed {
  readonly type: ResourceType;
  readonly address?: readonly PostalAddress[] | undefined;
}

/** Somebody new at the address of a form. */
export function placed(type: ResourceType, values: AddressValues): Placed {
  return { type, address: withHomeAddress(undefined, values) };
}

/** Whether a device that follows this feed has a record with these addresses; of feeds of another kind nobody can tell here. */
export function isInArea({ type, address }: Placed, feed: string): boolean {
  if (!feed.startsWith("area:")) return true;
  return areaFeeds({ address } as unknown as JsonObject, type).includes(feed);
}

/** Whether a change of address takes a record out of the area: the device lets go of it once that is sent. */
export function leavesArea(before: Placed | null, after: Placed, feed: string): boolean {
  return !isInArea(after, feed) && (before === null || isInArea(before, feed));
}

/** The town, the province and the country of an address of living, or that there is none. */
export function placeOf(addresses: readonly PostalAddress[] | undefined): string {
  const { city, state, country } = homeAddress(addresses) ?? {};
  const place: PostalAddress = {
    ...(city && { city }),
    ...(state && { state }),
    ...(country && { country }),
  };
  return addressLines(place).join(", ") || texts.leaving.nowhere;
}
