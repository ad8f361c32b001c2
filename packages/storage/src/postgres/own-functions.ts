import type { Transaction } from "./client.ts";
import { clusterFunction, settleFunction } from "./cluster.ts";
import { commitFunction, lockFunction } from "./commit-function.ts";

/**
 * Makes functions anew that name another schema: this one had that name when they were made. They would check and write what stands there,
 * which may be another store by now.
 */
export async function keepOwnFunctions(
  transaction: Transaction,
  { name, schema }: { readonly name: string; readonly schema: string },
): Promise<void> {
  const [found] = await transaction.rows<{ others: boolean }>(
    // Names have quotes where a role asks for them.
    `SELECT EXISTS (SELECT 1 FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname = $1 AND p.proname IN ('cluster', 'settle_here', 'lock_asked', 'commit')
        AND position(' ' || $1 || '.' in replace(p.prosrc, '"', '')) = 0) AS others`,
    [name],
  );
  if (!found?.others) return;
  for (const make of [clusterFunction, settleFunction, lockFunction, commitFunction])
    await transaction.rows(make(schema));
}
