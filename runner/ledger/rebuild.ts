import { type Duck, openDuck, sqlName } from '../duck.ts';
import { sizeOf } from '../files.ts';
import { isLocked } from './open.ts';

/** True where another process has the file open: then it must not be replaced under it. */
export async function isHeld(path: string): Promise<boolean> {
  if ((await sizeOf(path)) === null) return false;
  try {
    (await openDuck({ path })).close();
    return false;
  } catch (error) {
    // Damaged or no database at all: a reason to make it anew, not to leave it.
    return isLocked(error);
  }
}

/** Rows of each table that holds something of the job; how far it is projected and the rules are the ledger's own. */
export async function tableCounts(duck: Duck): Promise<Record<string, number>> {
  const tables = await duck.rows<{ name: string }>(
    `SELECT table_name AS name FROM duckdb_tables() WHERE NOT internal AND NOT temporary ORDER BY name`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables.filter((table) => !OWN.test(table.name))) {
    const [row] = await duck.rows<{ n: number }>(`SELECT count(*)::INTEGER AS n FROM ${sqlName(name)}`);
    counts[name] = row?.n ?? 0;
  }
  return counts;
}

const OWN = /^(meta|schema_version|.*_rule)$/;
