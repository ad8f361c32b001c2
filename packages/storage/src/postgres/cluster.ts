import type { Transaction } from "./client.ts";

/**
 * Which cluster this is, drawn when it was made, and which of its lines: one that was promoted begins another. A copy has both, a dump
 * neither. Where the line is not told, for a role may not ask or a service does not have it, it counts as that which is noted: two roles must
 * not take each other's notes for another line.
 */
export function clusterFunction(schema: string): string {
  return `
CREATE OR REPLACE FUNCTION ${schema}.cluster() RETURNS text LANGUAGE plpgsql STABLE AS $function$
DECLARE
  identifier text := (SELECT system_identifier::text FROM pg_control_system());
BEGIN
  RETURN identifier || '.' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
EXCEPTION WHEN OTHERS THEN
  RETURN coalesce((SELECT s.cluster FROM ${schema}.store s WHERE split_part(s.cluster, '.', 1) = identifier), identifier);
END
$function$;`;
}

/** Who a store is, drawn anew. */
export const newId = "replace(gen_random_uuid()::text, '-', '')";

/**
 * Makes the store one of the server that it is on: see {@link settleFunction}. For opening, and for readers, who meet a standby that was
 * promoted.
 */
export async function keepPositionsRising(transaction: Transaction, schema: string): Promise<void> {
  await transaction.rows(`SELECT ${schema}.settle_here()`);
}

/**
 * The function that makes the store one of the server that it is on, where that is another one than it was written on. A dump that was
 * restored to another cluster meets other numbers of transactions, lower ones perhaps; a standby that was promoted gives out those again
 * that it lacked. From then on positions begin above those there are; and the store has another identity, as it may lack what the former
 * one told. Of several that meet it at once, the first does it and the others wait.
 */
export function settleFunction(schema: string): string {
  return `
CREATE OR REPLACE FUNCTION ${schema}.settle_here() RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
  here text := ${schema}.cluster();
  other_id text := ${newId};
  rising bigint;
BEGIN
  PERFORM 1 FROM ${schema}.store s WHERE s.cluster <> here FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT ${risingShift(schema)} INTO rising FROM ${schema}.store;
  UPDATE ${schema}.store SET id = other_id, cluster = here, shift = rising;
END
$function$;`;
}

/** No cluster comes so far; what is beyond was never written by this software. */
export const farthest = 2 ** 52;

/**
 * What has to be added to numbers of transactions for positions to begin above those there are: to all that are open as well, for they
 * may have their numbers and still be without a position.
 */
export function risingShift(schema: string): string {
  return `greatest(CASE WHEN shift < ${farthest} THEN shift ELSE 0 END, 1 - pg_snapshot_xmin(pg_current_snapshot())::text::bigint +
      coalesce((SELECT max(position) FROM ${schema}.feeds WHERE position BETWEEN 1 AND ${farthest}), 0))`;
}
