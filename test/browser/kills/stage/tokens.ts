import type { Individual } from "@fieldroll/core";

/** What of a person a token is kept in. */
type Tokened = Pick<Individual, "name"> & { telecom?: Individual["telecom"] };

const domain = "@token.example";

/** Adds a token to a person: one e-mail address that nothing else makes. */
export function addToken<T extends Tokened>(person: T, token: string): T {
  const address = { system: "email", value: `${token}${domain}` } as const;
  if (person.telecom) person.telecom.push(address);
  else person.telecom = [address];
  return person;
}

/** The tokens of a person, each as often as it is there. */
export function tokensOf({ telecom = [] }: { readonly telecom?: Individual["telecom"] }): readonly string[] {
  return telecom.flatMap(({ value }) => (value.endsWith(domain) ? [value.slice(0, -domain.length)] : []));
}
