/**
 * The function that checks and writes a commit, inside the database: one statement of the client, so one round trip, one
 * transaction, and nothing that a pooler between them could tear apart. Good at READ COMMITTED:
 *
 * - Every document the commit names is locked, in order of name, and read as it is then. What it writes is locked for
 *   writing; what it only expects, against being written or removed until the end.
 * - Where there is no row to lock (a document expected to be absent, a claim expected to be free), a row is put there and
 *   taken out again: whoever else inserts the same waits for the end of this transaction, and the other way round.
 * - A document that somebody else made since it was looked for is looked for again; a claim raises `serialization_failure`:
 *   the client asks again and finds it.
 *
 * It answers NULL for a commit that was made, otherwise JSON: `unmet`, pairs of an expectation's place and the version found,
 * and `taken`, triples of a put's place, a claim and `[collection, key]` of its holder.
 */
export function commitFunction(schema: string): string {
  return `
CREATE FUNCTION ${schema}.commit(
  put_count int, collections text[], keys text[], versions bigint[], claims_ text[], indexed_ text[], feeds_ text[], bodies text[],
  ask_kinds text[], ask_collections text[], ask_keys text[], ask_versions bigint[], ask_places int[],
  strict boolean
) RETURNS text LANGUAGE plpgsql
${byKey}
AS $function$
DECLARE
  old_versions bigint[];
  old_claims jsonb[];
  old_indexed jsonb[];
  old_feeds jsonb[];
  new_claims jsonb[] := claims_::jsonb[];
  new_indexed jsonb[] := indexed_::jsonb[];
  new_feeds jsonb[] := feeds_::jsonb[];
  unmet json;
  taken json;
  wanted int;
  claims_wanted int;
  made int;
  now_at bigint;
  asks_others boolean := 0 = ANY (ask_places);
  is_simple boolean;
  rewrites boolean;
BEGIN
  IF strict <> (current_setting('synchronous_commit') <> 'off') THEN
    PERFORM set_config('synchronous_commit', CASE WHEN strict THEN 'on' ELSE 'off' END, true);
  END IF;
  LOOP
${lockAndRead(schema)}
${checkSimply}
    IF NOT is_simple THEN
${check(schema)}
    END IF;
    IF unmet IS NOT NULL OR taken IS NOT NULL THEN
      RETURN json_build_object('unmet', unmet, 'taken', taken)::text;
    END IF;
${insertDocuments(schema)}
  END LOOP;
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

/** The documents that the commit writes: those it puts come first, then those it removes. */
const named = "unnest(collections, keys) WITH ORDINALITY AS n(collection, key, nth)";

function lockAndRead(schema: string): string {
  return `
  IF asks_others THEN
    PERFORM ${schema}.lock_asked(collections, keys, new_claims, ask_kinds, ask_collections, ask_keys);
  END IF;
  SELECT array_agg(h.version ORDER BY n.nth), array_agg(h.claims ORDER BY n.nth),
    array_agg(h.indexed ORDER BY n.nth), array_agg(h.feeds ORDER BY n.nth)
  INTO old_versions, old_claims, old_indexed, old_feeds
  FROM (SELECT * FROM ${named} ORDER BY n.collection, n.key OFFSET 0) n LEFT JOIN LATERAL (
    SELECT d.version, d.claims, d.indexed, d.feeds FROM ${schema}.documents d
    WHERE d.collection = n.collection AND d.key = n.key FOR UPDATE OF d
  ) h ON true;`;
}

/** The claims of documents to be put that these do not have already: what can be taken, and has to be written. */
const claimsToMake = `SELECT p.nth, p.collection, p.key, c.claim, min(c.place) AS place
      FROM unnest(collections[1:put_count], keys[1:put_count], new_claims, old_claims[1:put_count])
        WITH ORDINALITY AS p(collection, key, claims, before, nth)
      CROSS JOIN jsonb_array_elements_text(p.claims) WITH ORDINALITY AS c(claim, place)
      WHERE NOT coalesce(p.before ? c.claim, false)
      GROUP BY p.nth, p.collection, p.key, c.claim`;

/**
 * Most commits expect something of the documents that they write, and make no claim that these did not have: all that is known
 * by now. What is not as expected is left to the whole check.
 */
const checkSimply = `
    is_simple := NOT asks_others;
    claims_wanted := 0;
    FOR i IN 1 .. coalesce(array_length(ask_places, 1), 0) LOOP
      EXIT WHEN NOT is_simple;
      is_simple := CASE ask_kinds[i]
        WHEN 'version' THEN coalesce(old_versions[ask_places[i]] = ask_versions[i], false)
        WHEN 'exists' THEN old_versions[ask_places[i]] IS NOT NULL
        ELSE old_versions[ask_places[i]] IS NULL
      END;
    END LOOP;
    FOR i IN 1 .. put_count LOOP
      EXIT WHEN NOT is_simple;
      is_simple := new_claims[i] = '[]' OR new_claims[i] IS NOT DISTINCT FROM old_claims[i];
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
          SELECT 1 FROM ${named} WHERE n.collection = h.collection AND n.key = h.key)) AS taken
    FROM (${claimsToMake}) m LEFT JOIN ${schema}.claims h ON h.claim = ${schema}.short(m.claim)
  ) w;`;
}

function writeClaims(schema: string): string {
  return `
  IF rewrites AND (old_claims[1:put_count] IS DISTINCT FROM new_claims OR cardinality(keys) > put_count) THEN
    WITH e AS MATERIALIZED (
      SELECT ${schema}.short(b.claim) AS claim, o.collection, o.key
      FROM unnest(collections, keys, old_claims, new_claims) AS o(collection, key, before, after)
      CROSS JOIN jsonb_array_elements_text(o.before) AS b(claim)
      WHERE NOT coalesce(o.after ? b.claim, false)
    )
    DELETE FROM ${schema}.claims c USING e WHERE c.claim = e.claim AND (c.collection, c.key) = (e.collection, e.key);
  END IF;
  IF claims_wanted > 0 THEN
    INSERT INTO ${schema}.claims (claim, collection, key)
    SELECT ${schema}.short(w.claim), w.collection, w.key FROM (${claimsToMake}) w ORDER BY 1
    ON CONFLICT (claim) DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    IF made < claims_wanted THEN RAISE serialization_failure USING MESSAGE = 'a claim was made meanwhile'; END IF;
  END IF;`;
}

const puts =
  "unnest(collections[1:put_count], keys[1:put_count], versions, new_claims, new_indexed, new_feeds, bodies, old_versions[1:put_count]) " +
  "AS p(collection, key, version, claims, indexed, feeds, body, before)";

/**
 * Documents that are not there come first: of two commits that make the same one, the second waits here, before it has
 * written anything else, and then starts over with what the first one made. Those to be removed are made as well, so that
 * nobody else makes them before the end.
 */
function insertDocuments(schema: string): string {
  const all = `unnest(collections, keys, versions, new_claims, new_indexed, new_feeds, bodies, old_versions)
      AS p(collection, key, version, claims, indexed, feeds, body, before)`;
  return `
    SELECT count(*) INTO wanted FROM unnest(old_versions) AS o(version) WHERE o.version IS NULL;
    EXIT WHEN wanted = 0;
    INSERT INTO ${schema}.documents (collection, key, version, claims, indexed, feeds, body)
    SELECT p.collection, p.key, coalesce(p.version, 0), coalesce(p.claims, '[]'), coalesce(p.indexed, '{}'),
      coalesce(p.feeds, '[]'), coalesce(p.body, '')
    FROM ${all} WHERE p.before IS NULL ORDER BY p.collection, p.key
    ON CONFLICT (collection, key) DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    EXIT WHEN made = wanted;
    -- Whoever holds nothing else may look again at once; others would wait out of order for what they find.
    IF cardinality(keys) > 1 OR asks_others THEN
      RAISE serialization_failure USING MESSAGE = 'a document was made meanwhile';
    END IF;
    DELETE FROM ${schema}.documents d USING ${all}
    WHERE p.before IS NULL AND d.collection = p.collection AND d.key = p.key AND d.xmin = pg_current_xact_id()::xid;`;
}

function writeDocuments(schema: string): string {
  return `
  rewrites := cardinality(array_remove(old_versions, NULL)) > 0;
  IF rewrites THEN
    UPDATE ${schema}.documents d
    SET version = p.version, claims = p.claims, indexed = p.indexed, feeds = p.feeds, body = p.body
    FROM ${puts} WHERE p.before IS NOT NULL AND d.collection = p.collection AND d.key = p.key;
  END IF;
  IF cardinality(keys) > put_count THEN
    DELETE FROM ${schema}.documents d
    USING unnest(collections[put_count + 1:], keys[put_count + 1:]) AS r(collection, key)
    WHERE d.collection = r.collection AND d.key = r.key;
  END IF;`;
}

/** Only indexes whose values changed are looked at. A repeated value keeps its first place. */
function writeEntries(schema: string): string {
  const documents =
    "unnest(collections, keys, old_indexed, new_indexed) AS x(collection, key, before, after)";
  return `
  IF rewrites THEN
    WITH f AS MATERIALIZED (
      SELECT x.collection, i.idx, ${schema}.bounded(v.value) AS value, x.key
      FROM ${documents} CROSS JOIN jsonb_each(x.before) AS i(idx, list)
      CROSS JOIN LATERAL (SELECT x.after -> i.idx AS list OFFSET 0) n CROSS JOIN jsonb_array_elements_text(i.list) AS v(value)
      WHERE i.list IS DISTINCT FROM n.list AND NOT coalesce(n.list ? v.value, false)
    )
    DELETE FROM ${schema}.entries e USING f
    WHERE e.collection = f.collection AND e.idx = f.idx AND e.value = f.value AND e.key = f.key;
  END IF;
  INSERT INTO ${schema}.entries AS e (collection, idx, value, key, first)
  SELECT x.collection, i.idx, v.value, x.key, v.first
  FROM ${documents} CROSS JOIN jsonb_each(x.after) AS i(idx, list) CROSS JOIN LATERAL (
    SELECT ${schema}.bounded(a.value) AS value, bool_or(a.place = 1) AS first
    FROM jsonb_array_elements_text(i.list) WITH ORDINALITY AS a(value, place) GROUP BY 1
  ) v
  WHERE i.list IS DISTINCT FROM x.before -> i.idx
  ON CONFLICT (collection, idx, value, key) DO UPDATE SET first = excluded.first WHERE e.first <> excluded.first;`;
}

/**
 * The transaction's own number is the position. Numbers are given out without a lock, and not in the order of commits: a
 * reader stops before the oldest transaction that is still open, see `changes.ts`.
 */
function writeFeeds(schema: string): string {
  return `
  SELECT s.shift + pg_current_xact_id()::text::bigint INTO now_at FROM ${schema}.store s WHERE s.one;
  INSERT INTO ${schema}.feeds (feed, collection, key, position, nth, gone)
  SELECT ${schema}.short(t.feed), x.collection, x.key, now_at, x.nth, t.gone
  FROM unnest(collections, keys, old_feeds, new_feeds) WITH ORDINALITY AS x(collection, key, before, after, nth)
  CROSS JOIN LATERAL (
    SELECT DISTINCT f.feed, false AS gone FROM jsonb_array_elements_text(x.after) AS f(feed)
    UNION ALL
    SELECT DISTINCT f.feed, true FROM jsonb_array_elements_text(x.before) AS f(feed) WHERE NOT coalesce(x.after ? f.feed, false)
  ) t
  ON CONFLICT (feed, collection, key) DO UPDATE
  SET position = excluded.position, nth = excluded.nth, gone = excluded.gone;`;
}

/**
 * Locks what a commit only expects, in between what it writes, in the order in which every commit does it, so that two of them
 * don't wait for each other: documents that are there, by name; then those that are not, by name; then claims. What is not there is
 * put there and taken out again, also where the commit itself will make it: its turn is here.
 */
export function lockFunction(schema: string): string {
  return `
CREATE FUNCTION ${schema}.lock_asked(
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
