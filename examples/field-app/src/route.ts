/** The screens and what each is about. Addresses live after `#`, so that any static server can serve the app. */
export type Route =
  | { readonly screen: "find" | "register" | "sync" | "sign-in" }
  | {
      readonly screen:
        | "household"
        | "edit-household"
        | "add-member"
        | "person"
        | "edit-person"
        | "enroll"
        | "enrollment"
        | "edit-enrollment"
        | "decide";
      readonly reference: string;
    }
  | { readonly screen: "member"; readonly reference: string; readonly member: string };

const plain = { "": "find", register: "register", sync: "sync", "sign-in": "sign-in" } as const;
const about = [
  "household",
  "edit-household",
  "add-member",
  "person",
  "edit-person",
  "enroll",
  "enrollment",
  "edit-enrollment",
  "decide",
] as const;

/** The address of a screen: `#/household/Group%2F…`. */
export function hrefOf(route: Route): string {
  const parts = [route.screen === "find" ? "" : route.screen];
  if ("reference" in route) parts.push(encodeURIComponent(route.reference));
  if ("member" in route) parts.push(encodeURIComponent(route.member));
  return `#/${parts.join("/")}`;
}

/** Reads an address; one that names no screen leads to the first. */
export function routeOf(hash: string): Route {
  const [name = "", reference, member] = hash.replace(/^#\/?/, "").split("/").map(decoded);
  if (Object.hasOwn(plain, name)) return { screen: plain[name as keyof typeof plain] };
  if (name === "member" && reference && member) return { screen: name, reference, member };
  const screen = about.find((known) => known === name);
  return screen && reference ? { screen, reference } : { screen: "find" };
}

/** The screen that shows a record. */
export function recordRoute(reference: string): Route {
  if (reference.startsWith("Group/")) return { screen: "household", reference };
  if (reference.startsWith("ProgramMembership/")) return { screen: "enrollment", reference };
  return { screen: "person", reference };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
