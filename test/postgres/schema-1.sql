-- A database as the first published migration made it, tables and functions, before anything was written to it.

CREATE SCHEMA earlier;
CREATE TABLE earlier.store (
  one boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (one),
  id text NOT NULL,
  migrations integer NOT NULL,
  shift bigint NOT NULL,
  cluster text NOT NULL
);
INSERT INTO earlier.store (id, migrations, shift, cluster) VALUES (replace(gen_random_uuid()::text, '-', ''), 0, 0, (SELECT system_identifier::text FROM pg_control_system()));

CREATE TABLE earlier.documents (
  collection text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  claims jsonb NOT NULL,
  indexed jsonb NOT NULL,
  feeds jsonb NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (collection, key)
);
CREATE TABLE earlier.claims (
  claim text COLLATE "C" NOT NULL PRIMARY KEY,
  collection text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL
);
CREATE TABLE earlier.entries (
  collection text COLLATE "C" NOT NULL,
  idx text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  first boolean NOT NULL,
  PRIMARY KEY (collection, idx, value, key) INCLUDE (first)
);
CREATE INDEX entries_further ON earlier.entries (collection, idx) WHERE NOT first;
CREATE INDEX entries_cut ON earlier.entries (collection, idx) WHERE length(value) >= 500;
CREATE TABLE earlier.feeds (
  feed text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  nth integer NOT NULL,
  gone boolean NOT NULL,
  PRIMARY KEY (feed, collection, key)
);
CREATE INDEX feeds_in_order ON earlier.feeds (feed, position, nth);
CREATE TABLE earlier.substring_indexes (idx text COLLATE "C" NOT NULL PRIMARY KEY);

CREATE FUNCTION earlier.short(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $function$
  SELECT CASE WHEN octet_length(name) <= 1000 THEN name
    ELSE left(name, 100) || '~' || length(name)::text || '~' || md5(name) || md5(reverse(name)) END
$function$;
CREATE FUNCTION earlier.bounded(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $function$
  SELECT left(value, 500)
$function$;

CREATE FUNCTION earlier.lock_asked(
  collections text[], keys text[], claims_ jsonb[], ask_kinds text[], ask_collections text[], ask_keys text[]
) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_hashagg = off
SET plan_cache_mode = force_generic_plan SET jit = off
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
      PERFORM 1 FROM earlier.documents d WHERE d.collection = one.collection AND d.key = one.key FOR UPDATE;
    ELSIF one.kind = 'exists' THEN
      PERFORM 1 FROM earlier.documents d WHERE d.collection = one.collection AND d.key = one.key FOR KEY SHARE;
    ELSE
      PERFORM 1 FROM earlier.documents d WHERE d.collection = one.collection AND d.key = one.key FOR SHARE;
    END IF;
    IF NOT FOUND AND one.kind IN ('write', 'absent') THEN
      missing_collections := missing_collections || one.collection;
      missing_keys := missing_keys || one.key;
    END IF;
  END LOOP;
  FOR i IN 1 .. cardinality(missing_keys) LOOP
    INSERT INTO earlier.documents (collection, key, version, claims, indexed, feeds, body)
    VALUES (missing_collections[i], missing_keys[i], 0, '[]', '{}', '[]', '') ON CONFLICT (collection, key) DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    IF made = 0 THEN RAISE serialization_failure USING MESSAGE = 'a document was made meanwhile'; END IF;
    DELETE FROM earlier.documents d WHERE d.collection = missing_collections[i] AND d.key = missing_keys[i];
  END LOOP;
  FOR one IN
    SELECT claim, bool_or(asked) AS asked FROM (
      SELECT earlier.short(a.key) AS claim, true AS asked FROM unnest(ask_kinds, ask_keys) AS a(kind, key) WHERE a.kind = 'free'
      UNION ALL
      SELECT earlier.short(c.claim), false FROM unnest(claims_) AS p(list) CROSS JOIN jsonb_array_elements_text(p.list) AS c(claim)
    ) every GROUP BY claim ORDER BY claim
  LOOP
    INSERT INTO earlier.claims (claim, collection, key) VALUES (one.claim, '', '') ON CONFLICT (claim) DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    IF made > 0 THEN
      DELETE FROM earlier.claims c WHERE c.claim = one.claim;
    ELSIF one.asked THEN
      -- Whoever holds it may let go of it, but not before this commit has said so.
      PERFORM 1 FROM earlier.claims c WHERE c.claim = one.claim FOR SHARE;
      IF NOT FOUND THEN RAISE serialization_failure USING MESSAGE = 'a claim was let go meanwhile'; END IF;
    END IF;
  END LOOP;
END
$function$;

CREATE FUNCTION earlier.commit(
  put_count int, collections text[], keys text[], versions bigint[], claims_ text[], indexed_ text[], feeds_ text[], bodies text[],
  ask_kinds text[], ask_collections text[], ask_keys text[], ask_versions bigint[], ask_places int[],
  strict boolean
) RETURNS text LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_hashagg = off
SET plan_cache_mode = force_generic_plan SET jit = off
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

  IF asks_others THEN
    PERFORM earlier.lock_asked(collections, keys, new_claims, ask_kinds, ask_collections, ask_keys);
  END IF;
  SELECT array_agg(h.version ORDER BY n.nth), array_agg(h.claims ORDER BY n.nth),
    array_agg(h.indexed ORDER BY n.nth), array_agg(h.feeds ORDER BY n.nth)
  INTO old_versions, old_claims, old_indexed, old_feeds
  FROM (SELECT * FROM unnest(collections, keys) WITH ORDINALITY AS n(collection, key, nth) ORDER BY n.collection, n.key OFFSET 0) n LEFT JOIN LATERAL (
    SELECT d.version, d.claims, d.indexed, d.feeds FROM earlier.documents d
    WHERE d.collection = n.collection AND d.key = n.key FOR UPDATE OF d
  ) h ON true;

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
    END LOOP;
    IF NOT is_simple THEN

  SELECT (
    SELECT json_agg(json_build_array(nth, present) ORDER BY nth) FROM (
      SELECT a.nth, a.kind, a.version, d.version AS present, c.claim
      FROM unnest(ask_kinds, ask_collections, ask_keys, ask_versions) WITH ORDINALITY AS a(kind, collection, key, version, nth)
      LEFT JOIN earlier.documents d ON a.kind <> 'free' AND d.collection = a.collection AND d.key = a.key
      LEFT JOIN earlier.claims c ON a.kind = 'free' AND c.claim = earlier.short(a.key)
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
          SELECT 1 FROM unnest(collections, keys) WITH ORDINALITY AS n(collection, key, nth) WHERE n.collection = h.collection AND n.key = h.key)) AS taken
    FROM (SELECT p.nth, p.collection, p.key, c.claim, min(c.place) AS place
      FROM unnest(collections[1:put_count], keys[1:put_count], new_claims, old_claims[1:put_count])
        WITH ORDINALITY AS p(collection, key, claims, before, nth)
      CROSS JOIN jsonb_array_elements_text(p.claims) WITH ORDINALITY AS c(claim, place)
      WHERE NOT coalesce(p.before ? c.claim, false)
      GROUP BY p.nth, p.collection, p.key, c.claim) m LEFT JOIN earlier.claims h ON h.claim = earlier.short(m.claim)
  ) w;
    END IF;
    IF unmet IS NOT NULL OR taken IS NOT NULL THEN
      RETURN json_build_object('unmet', unmet, 'taken', taken)::text;
    END IF;

    SELECT count(*) INTO wanted FROM unnest(old_versions) AS o(version) WHERE o.version IS NULL;
    EXIT WHEN wanted = 0;
    INSERT INTO earlier.documents (collection, key, version, claims, indexed, feeds, body)
    SELECT p.collection, p.key, coalesce(p.version, 0), coalesce(p.claims, '[]'), coalesce(p.indexed, '{}'),
      coalesce(p.feeds, '[]'), coalesce(p.body, '')
    FROM unnest(collections, keys, versions, new_claims, new_indexed, new_feeds, bodies, old_versions)
      AS p(collection, key, version, claims, indexed, feeds, body, before) WHERE p.before IS NULL ORDER BY p.collection, p.key
    ON CONFLICT (collection, key) DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    EXIT WHEN made = wanted;
    -- Whoever holds nothing else may look again at once; others would wait out of order for what they find.
    IF cardinality(keys) > 1 OR asks_others THEN
      RAISE serialization_failure USING MESSAGE = 'a document was made meanwhile';
    END IF;
    DELETE FROM earlier.documents d USING unnest(collections, keys, versions, new_claims, new_indexed, new_feeds, bodies, old_versions)
      AS p(collection, key, version, claims, indexed, feeds, body, before)
    WHERE p.before IS NULL AND d.collection = p.collection AND d.key = p.key AND d.xmin = pg_current_xact_id()::xid;
  END LOOP;

  rewrites := cardinality(array_remove(old_versions, NULL)) > 0;
  IF rewrites THEN
    UPDATE earlier.documents d
    SET version = p.version, claims = p.claims, indexed = p.indexed, feeds = p.feeds, body = p.body
    FROM unnest(collections[1:put_count], keys[1:put_count], versions, new_claims, new_indexed, new_feeds, bodies, old_versions[1:put_count]) AS p(collection, key, version, claims, indexed, feeds, body, before) WHERE p.before IS NOT NULL AND d.collection = p.collection AND d.key = p.key;
  END IF;
  IF cardinality(keys) > put_count THEN
    DELETE FROM earlier.documents d
    USING unnest(collections[put_count + 1:], keys[put_count + 1:]) AS r(collection, key)
    WHERE d.collection = r.collection AND d.key = r.key;
  END IF;

  IF rewrites AND (old_claims[1:put_count] IS DISTINCT FROM new_claims OR cardinality(keys) > put_count) THEN
    WITH e AS MATERIALIZED (
      SELECT earlier.short(b.claim) AS claim, o.collection, o.key
      FROM unnest(collections, keys, old_claims, new_claims) AS o(collection, key, before, after)
      CROSS JOIN jsonb_array_elements_text(o.before) AS b(claim)
      WHERE NOT coalesce(o.after ? b.claim, false)
    )
    DELETE FROM earlier.claims c USING e WHERE c.claim = e.claim AND (c.collection, c.key) = (e.collection, e.key);
  END IF;
  IF claims_wanted > 0 THEN
    INSERT INTO earlier.claims (claim, collection, key)
    SELECT earlier.short(w.claim), w.collection, w.key FROM (SELECT p.nth, p.collection, p.key, c.claim, min(c.place) AS place
      FROM unnest(collections[1:put_count], keys[1:put_count], new_claims, old_claims[1:put_count])
        WITH ORDINALITY AS p(collection, key, claims, before, nth)
      CROSS JOIN jsonb_array_elements_text(p.claims) WITH ORDINALITY AS c(claim, place)
      WHERE NOT coalesce(p.before ? c.claim, false)
      GROUP BY p.nth, p.collection, p.key, c.claim) w ORDER BY 1
    ON CONFLICT (claim) DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    IF made < claims_wanted THEN RAISE serialization_failure USING MESSAGE = 'a claim was made meanwhile'; END IF;
  END IF;

  IF rewrites THEN
    WITH f AS MATERIALIZED (
      SELECT x.collection, i.idx, earlier.bounded(v.value) AS value, x.key
      FROM unnest(collections, keys, old_indexed, new_indexed) AS x(collection, key, before, after) CROSS JOIN jsonb_each(x.before) AS i(idx, list)
      CROSS JOIN LATERAL (SELECT x.after -> i.idx AS list OFFSET 0) n CROSS JOIN jsonb_array_elements_text(i.list) AS v(value)
      WHERE i.list IS DISTINCT FROM n.list AND NOT coalesce(n.list ? v.value, false)
    )
    DELETE FROM earlier.entries e USING f
    WHERE e.collection = f.collection AND e.idx = f.idx AND e.value = f.value AND e.key = f.key;
  END IF;
  INSERT INTO earlier.entries AS e (collection, idx, value, key, first)
  SELECT x.collection, i.idx, v.value, x.key, v.first
  FROM unnest(collections, keys, old_indexed, new_indexed) AS x(collection, key, before, after) CROSS JOIN jsonb_each(x.after) AS i(idx, list) CROSS JOIN LATERAL (
    SELECT earlier.bounded(a.value) AS value, bool_or(a.place = 1) AS first
    FROM jsonb_array_elements_text(i.list) WITH ORDINALITY AS a(value, place) GROUP BY 1
  ) v
  WHERE i.list IS DISTINCT FROM x.before -> i.idx
  ON CONFLICT (collection, idx, value, key) DO UPDATE SET first = excluded.first WHERE e.first <> excluded.first;

  SELECT s.shift + pg_current_xact_id()::text::bigint INTO now_at FROM earlier.store s WHERE s.one;
  INSERT INTO earlier.feeds (feed, collection, key, position, nth, gone)
  SELECT earlier.short(t.feed), x.collection, x.key, now_at, x.nth, t.gone
  FROM unnest(collections, keys, old_feeds, new_feeds) WITH ORDINALITY AS x(collection, key, before, after, nth)
  CROSS JOIN LATERAL (
    SELECT DISTINCT f.feed, false AS gone FROM jsonb_array_elements_text(x.after) AS f(feed)
    UNION ALL
    SELECT DISTINCT f.feed, true FROM jsonb_array_elements_text(x.before) AS f(feed) WHERE NOT coalesce(x.after ? f.feed, false)
  ) t
  ON CONFLICT (feed, collection, key) DO UPDATE
  SET position = excluded.position, nth = excluded.nth, gone = excluded.gone;
  RETURN NULL;
END
$function$;
UPDATE earlier.store SET migrations = 1;
