/**
 * The texts in a list of a document's row, in order. What a damaged row has instead of a list, or of a text in it, counts as nothing:
 * {@link isDamaged} tells it.
 */
export function textsOf(json: string): string {
  return `jsonb_array_elements_text(CASE WHEN jsonb_typeof(${json}) = 'array'
    THEN jsonb_path_query_array(${json}, 'strict $[*] ? (@.type() == "string")') ELSE '[]' END)`;
}

/** The lists of a document's row by name of their index: `idx` and `list`. */
export function listsOf(json: string): string {
  return `jsonb_each(CASE WHEN jsonb_typeof(${json}) = 'object' THEN ${json} ELSE '{}' END)`;
}

/** Whether what the row `d` declares has not the form that this software writes. */
export const isDamaged = `(jsonb_typeof(d.claims) IS DISTINCT FROM 'array' OR jsonb_typeof(d.feeds) IS DISTINCT FROM 'array' OR jsonb_typeof(d.indexed) IS DISTINCT FROM 'object'
  OR coalesce(d.claims @? 'strict $[*] ? (@.type() != "string")', false)
  OR coalesce(d.feeds @? 'strict $[*] ? (@.type() != "string")', false)
  OR coalesce(d.indexed @? 'strict $.* ? (@.type() != "array")', false)
  OR coalesce(d.indexed @? 'strict $.*[*] ? (@.type() != "string")', false))`;

/** What is told of a document that {@link isDamaged}. */
export const damage =
  "the document can not be read: what it declares has not the form that this software writes; restore it from a backup";

/** Selects the entries that the rows named `rows` declare. */
export function declaredEntries(schema: string, rows: string): string {
  return `SELECT d.collection, i.idx, ${schema}.bounded(v.value) AS value, d.key, bool_or(v.place = 1) AS first
    FROM ${rows} d CROSS JOIN ${listsOf("d.indexed")} AS i(idx, list)
    CROSS JOIN ${textsOf("i.list")} WITH ORDINALITY AS v(value, place) GROUP BY 1, 2, 3, 4`;
}
