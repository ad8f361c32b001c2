import { findPosition, waitForFeeds, writeFeeds } from "./commit-feeds.ts";
import { longestValue } from "./rows.ts";

/**
 * The function that checks and writes a commit, inside the database: one statement of the client, so one round trip, one
 * transaction, and nothing that a pooler between them could tear apart. Good at READ COMMITTED:
 *
 * - Every document the commit names is locked, in order of name, and read as it is then. What it writes is locked for
 *   writing; what it only expects, against being written or removed until the end.
 * - Where there is no row to lock (a document expected to be absent, a claim expected to be free), a row is put there and
 *   taken out again: whoever else inserts the same waits for the end of this transaction, and the other way round.
 * - What somebody else made since it was looked for (a document, a claim) raises `serialization_failure`: the client asks
 *   again and finds it.
 *
 * Most commits name one or two documents. Short statements by key cost them less than one over lists, most of whose time goes
 * into its beginning and its end; rows of indexes and feeds, of which there are more, are written by one statement for all.
 *
 * It answers NULL for a commit that was made, otherwise JSON: `unmet`, pairs of an expectation's place and the version found,
 * and `taken`, triples of a put's place, a claim and `[collection, key]` of its holder.
 *
 * Commits that clash in no name may come as one; `members` tells of each document in which of them it is. A claim that a document held until
 * now may pass to another one of the same member only.
 *
 * `ordered` has the places of all documents in order of name; `entry_…` and `feed_…` have a row for each value and feed that the
 * documents put declare, once each, with the place of its document.
 */
export function commitFunction(schema: string): string {
  return `
CREATE OR REPLACE FUNCTION ${schema}.commit(
  put_count int, members int[], ordered int[], collections text[], keys text[], versions bigint[], bodies text[],
  new_claims jsonb[], new_indexed jsonb[], new_feeds jsonb[],
  entry_puts int[], entry_indexes text[], entry_values text[], entry_firsts boolean[], feed_puts int[], feed_names text[],
  ask_kinds text[], ask_collections text[], ask_keys text[], ask_versions bigint[], ask_places int[],
  strict boolean
) RETURNS text LANGUAGE plpgsql
${byKey}
AS $function$
DECLARE
  old_versions bigint[] := array_fill(NULL::bigint, ARRAY[cardinality(keys)]);
  old_claims jsonb[] := array_fill(NULL::jsonb, ARRAY[cardinality(keys)]);
  old_indexed jsonb[] := old_claims;
  old_feeds jsonb[] := old_claims;
  old_positions bigint[] := old_versions;
  old_nths int[] := '{}';
  now_at bigint := 0;
  i int;
  a_version bigint;
  a_position bigint;
  an_nth int;
  a_claims jsonb;
  an_indexed jsonb;
  a_new jsonb;
  a_feeds jsonb;
  unmet json;
  taken json;
  claims_wanted int := 0;
  made int;
  asks_others boolean := 0 = ANY (ask_places);
  is_simple boolean := NOT asks_others;
  drops_claims boolean := false;
  changes_entries boolean[] := '{}';
  has_long_lists boolean := false;
  had_feeds boolean := false;
  drops_feeds boolean := false;
  is_here boolean := true;
  usual text := current_setting('synchronous_commit');
BEGIN
  IF strict <> (usual <> 'off') THEN
    PERFORM set_config('synchronous_commit', CASE WHEN strict THEN 'on' ELSE 'off' END, true);
  END IF;
${lockAndRead(schema)}
${refuseOldState(schema)}
${checkSimply}
  IF NOT is_simple THEN
${check(schema)}
    IF unmet IS NOT NULL OR taken IS NOT NULL THEN
      RETURN json_build_object('unmet', unmet, 'taken', taken)::text;
    END IF;
  END IF;
${waitForFeeds}
${findPosition(schema)}
${writeDocuments(schema)}
${writeClaims(schema)}
${writeEntries(schema)}
${writeFeeds(schema)}
  RETURN NULL;
END
$function$;`;
}

/**
 * Everything is looked up by key, one after the other. A plan that was made while a table was young, or for a longer list than
 * this one, would read all of it, or clear tables of thousands of places to hash a handful of rows.
 */
const byKey = `SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_hashagg = off
SET plan_cache_mode = force_generic_plan SET jit = off`;

function lockAndRead(schema: string): string {
  return `
  IF asks_others THEN
    PERFORM ${schema}.lock_asked(collections, keys, new_claims, ask_kinds, ask_collections, ask_keys);
  END IF;
  FOREACH i IN ARRAY ordered LOOP
    SELECT d.version, d.claims, d.indexed, d.feeds, d.position, d.nth
    INTO a_version, a_claims, an_indexed, a_feeds, a_position, an_nth
    FROM ${schema}.documents d WHERE d.collection = collections[i] AND d.key = keys[i] FOR UPDATE;
    CONTINUE WHEN NOT FOUND;
    old_versions[i] := a_version;
    old_claims[i] := a_claims;
    old_indexed[i] := an_indexed;
    old_feeds[i] := a_feeds;
    old_positions[i] := a_position;
    old_nths[i] := an_nth;
  END LOOP;`;
}

/**
 * Where a role or a database sets another isolation than READ COMMITTED, all statements see the state of before the locks. A rebuilding
 * may change no document, so nobody who waited for its end would meet it there, and what it has written would be neither seen nor
 * replaced: its row of `store` tells. It locks documents first, as this does.
 */
function refuseOldState(schema: string): string {
  return `
  IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
    PERFORM 1 FROM ${schema}.store s WHERE s.sole FOR SHARE;
  END IF;`;
}

/** The claims that documents declared before, which have place 0, and those they declare, each once. */
const claimsOfBoth = `SELECT c.nth, c.claim, min(c.place) AS place FROM (
        SELECT p.nth, c.claim COLLATE "C" AS claim, c.place FROM unnest(new_claims) WITH ORDINALITY AS p(list, nth)
        CROSS JOIN jsonb_array_elements_text(p.list) WITH ORDINALITY AS c(claim, place)
        UNION ALL
        SELECT p.nth, c.claim, 0 FROM unnest(old_claims) WITH ORDINALITY AS p(list, nth)
        CROSS JOIN jsonb_array_elements_text(p.list) AS c(claim)
      ) c GROUP BY c.nth, c.claim`;

/** The claims of documents to be put that these do not have already: what can be taken, and has to be written. */
const claimsToMake = `${claimsOfBoth} HAVING min(c.place) > 0`;

/**
 * From so many bytes on, what documents declare for the indexes is compared as sets: looking up each value in the other list takes the
 * square of their number. Shorter lists are compared sooner that way.
 */
const longLists = 10_000;

/**
 * Most commits expect something of the documents that they write, and make no claim that these did not have: all that is known
 * by now. What is not as expected is left to the whole check.
 */
const checkSimply = `
  FOR i IN 1 .. cardinality(ask_places) LOOP
    EXIT WHEN NOT is_simple;
    is_simple := CASE ask_kinds[i]
      WHEN 'version' THEN coalesce(old_versions[ask_places[i]] = ask_versions[i], false)
      WHEN 'exists' THEN old_versions[ask_places[i]] IS NOT NULL
      ELSE old_versions[ask_places[i]] IS NULL
    END;
  END LOOP;
  FOR i IN 1 .. cardinality(keys) LOOP
    IF old_claims[i] IS DISTINCT FROM new_claims[i] THEN
      drops_claims := drops_claims OR old_claims[i] <> '[]';
      is_simple := is_simple AND (i > put_count OR new_claims[i] = '[]');
    END IF;
    IF old_feeds[i] <> '[]' THEN
      had_feeds := true;
      drops_feeds := drops_feeds OR old_feeds[i] IS DISTINCT FROM new_feeds[i];
    END IF;
    has_long_lists := has_long_lists OR greatest(pg_column_size(old_indexed[i]), pg_column_size(new_indexed[i])) > ${longLists};
  END LOOP;`;

/** Everything that keeps the commit from being made, and how many claims it makes: by one statement, so of one state. */
function check(schema: string): string {
  return `
  SELECT (
    SELECT json_agg(json_build_array(nth, present) ORDER BY nth) FROM (
      SELECT a.nth, a.kind, a.version, d.version AS present, c.claim
      FROM unnest(ask_kinds, ask_collections, ask_keys, ask_versions) WITH ORDINALITY AS a(kind, collection, key, version, nth)
      LEFT JOIN ${schema}.documents d ON a.kind <> 'free' AND d.collection = a.collection AND d.key = a.key
      LEFT JOIN ${schema}.claims c ON a.kind = 'free' AND c.claim = ${schema}.short(a.key)
    ) asked
    WHERE NOT CASE kind
      WHEN 'version' THEN coalesce(present = version, false)
      WHEN 'exists' THEN present IS NOT NULL
      WHEN 'absent' THEN present IS NULL
      ELSE claim IS NULL
    END
  ), w.wanted, w.taken INTO unmet, claims_wanted, taken FROM (
    SELECT count(*) AS wanted,
      json_agg(json_build_array(m.nth, m.claim, json_build_array(h.collection, h.key)) ORDER BY m.nth, m.place)
        FILTER (WHERE h.claim IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM unnest(collections, keys, members) AS n(collection, key, member)
          WHERE n.collection = h.collection AND n.key = h.key AND n.member = members[m.nth])) AS taken
    FROM (${claimsToMake}) m LEFT JOIN ${schema}.claims h ON h.claim = ${schema}.short(m.claim)
  ) w;`;
}

/**
 * Of two commits that make the same document, the second waits here and then starts over with what the first one made. A
 * document to be removed that is not there is made as well, so that nobody else makes it before the end.
 */
function writeDocuments(schema: string): string {
  return `
  FOREACH i IN ARRAY ordered LOOP
    IF old_versions[i] IS NULL THEN
      INSERT INTO ${schema}.documents (collection, key, version, claims, indexed, feeds, body, position, nth)
      VALUES (collections[i], keys[i], coalesce(versions[i], 0), coalesce(new_claims[i], '[]'), coalesce(new_indexed[i], '{}'),
        coalesce(new_feeds[i], '[]'), coalesce(bodies[i], ''), now_at, i)
      ON CONFLICT (collection, key) DO NOTHING;
      IF NOT FOUND THEN RAISE serialization_failure USING MESSAGE = 'a document was made meanwhile'; END IF;
    ELSIF i <= put_count THEN
      UPDATE ${schema}.documents d
      SET version = versions[i], claims = new_claims[i], indexed = new_indexed[i], feeds = new_feeds[i], body = bodies[i],
        position = now_at, nth = i
      WHERE d.collection = collections[i] AND d.key = keys[i];
    END IF;
    IF i > put_count THEN
      DELETE FROM ${schema}.documents d WHERE d.collection = collections[i] AND d.key = keys[i];
    END IF;
  END LOOP;`;
}

function writeClaims(schema: string): string {
  return `
  IF drops_claims THEN
    DELETE FROM ${schema}.claims c USING (
      SELECT ${schema}.short(w.claim) AS claim, collections[w.nth] AS collection, keys[w.nth] AS key
      FROM (${claimsOfBoth} HAVING max(c.place) = 0) w OFFSET 0
    ) e
    WHERE c.claim = e.claim AND (c.collection, c.key) = (e.collection, e.key);
  END IF;
  IF claims_wanted > 0 THEN
    INSERT INTO ${schema}.claims (claim, collection, key)
    SELECT ${schema}.short(w.claim), collections[w.nth], keys[w.nth] FROM (${claimsToMake}) w ORDER BY 1
    ON CONFLICT (claim) DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    IF made < claims_wanted THEN RAISE serialization_failure USING MESSAGE = 'a claim was made meanwhile'; END IF;
  END IF;`;
}

/**
 * That a value's row stays as it is: both lists have it, and both or neither first. Of values that were cut several may have one
 * row: where their list changed, it is taken out and put in again.
 */
function stays(value: string, before: string, after: string): string {
  return `coalesce(${before} = ${after} OR (length(${value}) < ${longestValue} AND ${before} ? ${value} AND ${after} ? ${value}
      AND (${before} ->> 0 = ${value}) = (${after} ->> 0 = ${value})), false)`;
}

function writeEntries(schema: string): string {
  return `
  IF has_long_lists THEN
${writeAsSets(schema)}
  ELSE
${writeOneByOne(schema)}
  END IF;`;
}

function writeOneByOne(schema: string): string {
  const [before, after] = ["old_indexed[e.nth] -> e.idx", "new_indexed[e.nth] -> e.idx"];
  return `
  FOR i IN 1 .. cardinality(keys) LOOP
    an_indexed := old_indexed[i];
    a_new := new_indexed[i];
    CONTINUE WHEN an_indexed IS NULL OR an_indexed = a_new;
    DELETE FROM ${schema}.entries e USING (
      SELECT collections[i] AS collection, x.idx, ${schema}.bounded(v.value) AS value, keys[i] AS key
      FROM (
        SELECT o.idx, o.list, a_new -> o.idx AS now FROM jsonb_each(an_indexed) AS o(idx, list)
        WHERE o.list IS DISTINCT FROM a_new -> o.idx OFFSET 0
      ) x CROSS JOIN jsonb_array_elements_text(x.list) AS v(value)
      WHERE NOT ${stays("v.value", "x.list", "x.now")} OFFSET 0
    ) f
    WHERE e.collection = f.collection AND e.idx = f.idx AND e.value = f.value AND e.key = f.key;
  END LOOP;
  INSERT INTO ${schema}.entries (collection, idx, value, key, first)
  SELECT collections[e.nth], e.idx, e.value, keys[e.nth], e.first
  FROM (
    SELECT unnest(entry_puts) AS nth, unnest(entry_indexes) AS idx, unnest(entry_values) AS value, unnest(entry_firsts) AS first
  ) e
  WHERE NOT ${stays("e.value", `(${before})`, `(${after})`)};`;
}

/** Rows that were there (`was`, their `first`) and rows that have to be (`now`) are grouped by their keys; what differs is written. */
function writeAsSets(schema: string): string {
  const isIt =
    "e.collection = collections[d.nth] AND e.idx = d.idx AND e.value = d.value AND e.key = keys[d.nth]";
  return `
  FOR i IN 1 .. cardinality(keys) LOOP
    changes_entries[i] := old_indexed[i] IS DISTINCT FROM new_indexed[i];
  END LOOP;
  WITH d AS MATERIALIZED (
    SELECT nth, idx, value, bool_or(was) AS was, bool_or(now) AS now FROM (
      SELECT n.nth, n.idx COLLATE "C" AS idx, n.value COLLATE "C" AS value, NULL::boolean AS was, n.first AS now FROM (
        SELECT unnest(entry_puts) AS nth, unnest(entry_indexes) AS idx, unnest(entry_values) AS value, unnest(entry_firsts) AS first
      ) n WHERE changes_entries[n.nth]
      UNION ALL
      SELECT o.nth, x.idx, ${schema}.bounded(v.value), v.place = 1, NULL
      FROM unnest(old_indexed) WITH ORDINALITY AS o(indexed, nth) CROSS JOIN jsonb_each(o.indexed) AS x(idx, list)
      CROSS JOIN jsonb_array_elements_text(x.list) WITH ORDINALITY AS v(value, place) WHERE changes_entries[o.nth]
    ) e GROUP BY 1, 2, 3 HAVING bool_or(was) IS DISTINCT FROM bool_or(now)
  ), gone AS (
    DELETE FROM ${schema}.entries e USING d WHERE d.now IS NULL AND ${isIt}
  ), moved AS (
    UPDATE ${schema}.entries e SET first = d.now FROM d WHERE d.was <> d.now AND ${isIt}
  )
  INSERT INTO ${schema}.entries (collection, idx, value, key, first)
  SELECT collections[d.nth], d.idx, d.value, keys[d.nth], d.now FROM d WHERE d.was IS NULL;`;
}

/**
 * Locks what a commit only expects, in between what it writes, in the order in which every commit does it, so that two of them
 * don't wait for each other: documents that are there, by name; then those that are not, by name; then claims. What is not there is
 * put there and taken out again, also where the commit itself will make it: its turn is here.
 */
export function lockFunction(schema: string): string {
  return `
CREATE OR REPLACE FUNCTION ${schema}.lock_asked(
  collections text[], keys text[], claims_ jsonb[], ask_kinds text[], ask_collections text[], ask_keys text[]
) RETURNS void LANGUAGE plpgsql
${byKey}
AS $function$
DECLARE
  one record;
  made int;
  missing_collections text[] := '{}';
  missing_keys text[] := '{}';
BEGIN
  FOR one IN
    SELECT DISTINCT ON (collection, key) collection, key, kind FROM (
      SELECT n.collection, n.key, 'write' AS kind, 0 AS rank FROM unnest(collections, keys) AS n(collection, key)
      UNION ALL
      SELECT a.collection, a.key, a.kind, CASE a.kind WHEN 'absent' THEN 1 WHEN 'version' THEN 2 ELSE 3 END
      FROM unnest(ask_kinds, ask_collections, ask_keys) AS a(kind, collection, key) WHERE a.kind <> 'free'
    ) every ORDER BY collection, key, rank
  LOOP
    IF one.kind = 'write' THEN
      PERFORM 1 FROM ${schema}.documents d WHERE d.collection = one.collection AND d.key = one.key FOR UPDATE;
    ELSIF one.kind = 'exists' THEN
      PERFORM 1 FROM ${schema}.documents d WHERE d.collection = one.collection AND d.key = one.key FOR KEY SHARE;
    ELSE
      PERFORM 1 FROM ${schema}.documents d WHERE d.collection = one.collection AND d.key = one.key FOR SHARE;
    END IF;
    IF NOT FOUND AND one.kind IN ('write', 'absent') THEN
      missing_collections := missing_collections || one.collection;
      missing_keys := missing_keys || one.key;
    END IF;
  END LOOP;
  FOR i IN 1 .. cardinality(missing_keys) LOOP
    INSERT INTO ${schema}.documents (collection, key, version, claims, indexed, feeds, body)
    VALUES (missing_collections[i], missing_keys[i], 0, '[]', '{}', '[]', '') ON CONFLICT (collection, key) DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    IF made = 0 THEN RAISE serialization_failure USING MESSAGE = 'a document was made meanwhile'; END IF;
    DELETE FROM ${schema}.documents d WHERE d.collection = missing_collections[i] AND d.key = missing_keys[i];
  END LOOP;
  FOR one IN
    SELECT claim, bool_or(asked) AS asked FROM (
      SELECT ${schema}.short(a.key) AS claim, true AS asked FROM unnest(ask_kinds, ask_keys) AS a(kind, key) WHERE a.kind = 'free'
      UNION ALL
      SELECT ${schema}.short(c.claim), false FROM unnest(claims_) AS p(list) CROSS JOIN jsonb_array_elements_text(p.list) AS c(claim)
    ) every GROUP BY claim ORDER BY claim
  LOOP
    INSERT INTO ${schema}.claims (claim, collection, key) VALUES (one.claim, '', '') ON CONFLICT (claim) DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    IF made > 0 THEN
      DELETE FROM ${schema}.claims c WHERE c.claim = one.claim;
    ELSIF one.asked THEN
      -- Whoever holds it may let go of it, but not before this commit has said so.
      PERFORM 1 FROM ${schema}.claims c WHERE c.claim = one.claim FOR SHARE;
      IF NOT FOUND THEN RAISE serialization_failure USING MESSAGE = 'a claim was let go meanwhile'; END IF;
    END IF;
  END LOOP;
END
$function$;`;
}
