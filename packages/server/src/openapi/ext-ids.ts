/** Where a caller finds the `ext_id` of a record: contract sections 1 and 6. */
export const extIdSource =
  "`key` of the record's items in `$changes` is its `ext_id`; the lists of the registry-style half tell it too.";

/** Where a caller finds the `ext_id` of a person that it knows by an identifier. */
export const registrantExtIdSource =
  "A person's `ext_id` is the `key` of its items in `$changes`; lists and answers of `/registry/registrant` tell it as `ext_id`, and enrollments, entitlements and change requests as `registrant_ext_id`. It is none of the person's identifiers, except of a person made here or by a change request, who has it as one as well.";
