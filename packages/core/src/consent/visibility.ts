/** What one caller may see of one record, and why: contract section 3. */
export interface Visibility {
  /** `legal_basis`: consents do not bind the caller. `active`: a consent in force shows it. `none`: nothing does. */
  readonly basis: "legal_basis" | "active" | "none";
  /** Top-level members, or one dotted level (`name.family`); `type` and `identifier` are always in it unless hidden. */
  readonly fields: "all" | ReadonlySet<string>;
  /** Extensions by name. */
  readonly extensions: "all" | ReadonlySet<string>;
  /** The consents that show it, by id. */
  readonly consents: readonly string[];
  /** Their last day together (YYYY-MM-DD), where there is one. */
  readonly expires?: string;
}

/** Sees everything, by law or by contract. */
export const wholeVisibility: Visibility = {
  basis: "legal_basis",
  fields: "all",
  extensions: "all",
  consents: [],
};
