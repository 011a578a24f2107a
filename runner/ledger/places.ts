import { join } from 'node:path';
import { isOsError } from '../files.ts';
import { isDuckError, machineTroubleOf } from '../machine-trouble.ts';
import { IN_MEMORY, isLocked, removeLedgerFile } from './open.ts';

/** A ledger that is open, and why it is not the one that stays; null where it is, or where another process has that. */
export interface Placed<Opened> {
  readonly opened: Opened;
  readonly place: string;
  readonly notKept: string | null;
}

/**
 * Opens a ledger where it can be had: in its own file, made anew should that be damaged; in a private file, where another
 * process holds its own (an IDE, a second reconciler) or nothing can be written there; and in memory where no disk has
 * room. It is a projection, so that nothing is lost with it, and whoever only looks needs no disk.
 * @throws what went wrong first, where it is nothing that another place would mend
 */
export async function openSomewhere<Opened>(
  path: string,
  work: string,
  open: (place: string) => Promise<Opened>,
): Promise<Placed<Opened>> {
  let first: unknown = null;
  for (const place of [path, ANEW, join(work, `${process.pid}.duckdb`), IN_MEMORY]) {
    try {
      if (place === ANEW && !(await isToMakeAnew(path, first))) continue;
      const taken = place === ANEW ? path : place;
      const opened = await open(taken);
      return { opened, place: taken, notKept: taken === path ? null : whyNotKept(first) };
    } catch (error) {
      if (!isLedgerTrouble(error)) throw error;
      first ??= error;
    }
  }
  throw first;
}

const ANEW = '';

/** Not where the place is the trouble and not the file: then what stands there may be good. */
async function isToMakeAnew(path: string, error: unknown): Promise<boolean> {
  if (isLocked(error) || machineTroubleOf(error) !== null || isOsError(error)) return false;
  await removeLedgerFile(path);
  return true;
}

function whyNotKept(error: unknown): string | null {
  return isLocked(error) ? null : (machineTroubleOf(error)?.message ?? 'its file cannot be used');
}

/**
 * What may be wrong with a ledger's file and not with what is asked of it: the system refuses, the file is damaged, or a
 * DuckDB that met an error inside itself answers nothing any more. A statement that is wrong stays an error.
 */
export function isLedgerTrouble(error: unknown): boolean {
  return isOsError(error) || isLocked(error) || (isDuckError(error) && FILE_TROUBLE.test(error.message));
}

const FILE_TROUBLE = /^(IO|FATAL|INTERNAL|Serialization|TransactionContext|Out of Memory) Error: /;

/** Said by a ledger that is open: blocks are read, and their checksums compared, when somebody asks for them. */
export function isBrokenLedger(error: unknown): boolean {
  return isDuckError(error) && BROKEN.test(error.message);
}

/** The same without errors of DuckDB's own, which a ledger that is made anew would meet again. */
export function isCorruptLedger(error: unknown): boolean {
  return isDuckError(error) && error.message.includes('Corrupt database file');
}

const BROKEN = /^(FATAL|INTERNAL) Error: |Corrupt database file|database has been invalidated/;
