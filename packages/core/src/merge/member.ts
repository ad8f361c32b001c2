import type { Json } from "../json.ts";

/** Own member of an object, `undefined` where it has none; never what the prototype brings. */
export function memberOf(target: { readonly [name: string]: Json }, name: string): Json | undefined {
  return Object.hasOwn(target, name) ? target[name] : undefined;
}

/**
 * Sets an own member in place. Assigning `__proto__` would swap the object's prototype instead, so that name is
 * defined as plain data: harmless here, and left for validation to refuse.
 */
export function setMember(target: { [name: string]: Json }, name: string, value: Json): void {
  if (name === "__proto__") {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[name] = value;
  }
}
