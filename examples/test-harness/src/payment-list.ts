import type { Outcome, ProgramMembership, RegistryView } from "@fieldroll/core";

/** One line of a payment list. */
export interface Payee {
  readonly beneficiary: string;
  readonly since: string;
}

/** Somebody's own code over the registry: everyone who is enrolled in a program today, page by page. */
export async function paymentList(view: RegistryView, program: string): Promise<Outcome<readonly Payee[]>> {
  const payees: Payee[] = [];
  let cursor: string | undefined;
  do {
    const page = await view.memberships.search({ program, status: "enrolled", limit: "50", cursor });
    if (!page.ok) return page;
    payees.push(...page.value.data.map(payeeOf));
    cursor = page.value.nextCursor;
  } while (cursor);
  return { ok: true, value: payees };
}

function payeeOf({ beneficiary, enrollmentDate }: ProgramMembership): Payee {
  return { beneficiary: beneficiary.reference, since: enrollmentDate ?? "" };
}
