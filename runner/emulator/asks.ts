import { digestOf, type JsonObject } from '../ids.ts';
import type { BatchError } from './batch/row.ts';
import type { LineWork } from './batch/run-lines.ts';
import type { World } from './face.ts';
import type { AnyCallFault } from './faults.ts';
import type { Reply } from './http.ts';
import type { LedgerEntry } from './ledger.ts';

/** A request that was answered at once, as the emulator keeps it. */
interface AskRow {
  readonly bodyHash: string;
  readonly status: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** One request and how its answer is read: it is run like the only line of a batch, so that the same is said to both. */
export interface AskForm {
  work(id: string): LineWork;
  /** The line as it would stand in an input file. */
  line(id: string): string;
  /** The answer, from the line that would stand in a result file. @param status HTTP */
  shown(line: JsonObject, status: number): Reply;
  wrong(error: BatchError): Reply;
}

/** A provider's calls that are answered at once, at its full price. */
export interface Asks {
  answer(form: AskForm, fault: AnyCallFault): Reply;
  ledger(): Generator<LedgerEntry>;
}

export function createAsks(world: World, kind: string): Asks {
  const rows = world.log.table<AskRow>(kind);
  return {
    answer(form, fault) {
      const id = `ask-${rows.size() + 1}`;
      const work = form.work(id);
      const checked = work.check(form.line(id), 1);
      if (checked.kind === 'error') return form.wrong(checked.error);
      const bodyHash = digestOf(checked.request.bodyText).slice(0, 32);
      const result = work.run(
        checked.request,
        bodyHash,
        fault.answer === undefined ? null : { answer: fault.answer },
      );
      const { status, inputTokens, outputTokens } = result;
      rows.put(id, { bodyHash, status, inputTokens, outputTokens });
      const text = result.output.length === 0 ? result.error : result.output;
      return form.shown(JSON.parse(text.toString()) as JsonObject, status);
    },
    *ledger() {
      for (const [at, row] of rows.all().entries()) yield entryOf(`ask-${at + 1}`, row);
    },
  };
}

function entryOf(id: string, row: AskRow): LedgerEntry {
  return {
    kind: 'request',
    batch: 'none',
    custom_id: id,
    body_hash: row.bodyHash,
    status: row.status,
    charged: row.status === 200,
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
  };
}
