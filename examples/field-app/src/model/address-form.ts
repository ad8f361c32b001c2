import { countryCodes, type FieldError, type PostalAddress } from "@fieldroll/core";
import { texts } from "../texts.ts";
import { lengthFaults } from "./length.ts";

/** An address as a form holds it. */
export interface AddressValues {
  readonly line: string;
  readonly district: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
  readonly country: string;
}

export const emptyAddress: AddressValues = {
  line: "",
  district: "",
  city: "",
  state: "",
  postalCode: "",
  country: "",
};

export function addressValues(address: PostalAddress | undefined): AddressValues {
  return {
    line: address?.line?.join(", ") ?? "",
    district: address?.district ?? "",
    city: address?.city ?? "",
    state: address?.state ?? "",
    postalCode: address?.postalCode ?? "",
    country: address?.country ?? "",
  };
}

/** The faults of an address form; `prefix` goes before the names of its fields. */
export function addressFaults(values: AddressValues, prefix: string): readonly FieldError[] {
  const { line, country } = values;
  const lines = ["district", "city", "state", "postalCode"] as const;
  const isCountry = country === "" || countryCodes.has(country);
  return [
    ...longLineFaults(`${prefix}line`, line),
    ...lines.flatMap((member) => lengthFaults(`${prefix}${member}`, texts.address[member], values[member])),
    ...(isCountry
      ? []
      : [{ field: `${prefix}country`, code: "country", message: texts.address.countryUnreal }]),
  ];
}

/** Several lines of a record are shown as one, and may be longer together. */
function longLineFaults(field: string, line: string): readonly FieldError[] {
  const isTooLong = line.split(", ").some((part) => lengthFaults(field, "", part).length > 0);
  return isTooLong ? lengthFaults(field, texts.address.line, line) : [];
}

/**
 * The list of addresses after the form: the home address changed in place where the form differs from what it
 * showed, added where there was none, removed where everything was cleared.
 */
export function withHomeAddress(
  addresses: readonly PostalAddress[] | undefined,
  values: AddressValues,
): PostalAddress[] | undefined {
  const list = [...(addresses ?? [])];
  const at = list.findIndex((address) => address.type !== "postal");
  const before = list[at];
  if (sameValues(addressValues(before), values)) return addresses ? list : undefined;
  const next = toAddress(before, values);
  if (at >= 0) list.splice(at, 1, ...(next ? [next] : []));
  else if (next) list.push(next);
  return list.length > 0 ? list : undefined;
}

function toAddress(before: PostalAddress | undefined, values: AddressValues): PostalAddress | undefined {
  // A text in full was written for the address as it was.
  const told: PostalAddress = { type: before?.type ?? "physical" };
  const line = values.line.trim();
  if (line) told.line = line === before?.line?.join(", ") ? before.line : [line];
  for (const member of ["district", "city", "state", "postalCode"] as const) {
    const value = values[member].trim();
    if (value) told[member] = value;
  }
  if (values.country) told.country = values.country;
  return Object.keys(told).length > 1 ? told : undefined;
}

function sameValues(a: AddressValues, b: AddressValues): boolean {
  return (Object.keys(a) as (keyof AddressValues)[]).every((member) => a[member].trim() === b[member].trim());
}
