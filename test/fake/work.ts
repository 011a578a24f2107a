import { hashValue, type Json } from './json.ts';
import type { Form, ProviderName, Row, Run } from './model.ts';
import { readModel, readPrompt } from './prompt.ts';
import { type RowFault, runRow } from './rows.ts';
import type { World } from './world.ts';

/** A request as it came; its model stands in its body, where it is not given beside it. */
export type RowDraft = { key: string; form: Form; body: Json; model?: string; doomed?: boolean };

/** The model's work on a synchronous call. */
export function runSync(world: World, provider: ProviderName, form: Form, body: Json, model?: string): Run {
  const row = makeRow(provider, { key: '', form, body, ...(model === undefined ? {} : { model }) }, null);
  return execute(world, row, world.clock.now(), null);
}

/** A request as it lies in a batch of a number, or in a synchronous call. */
export function makeRow(provider: ProviderName, draft: RowDraft, batch: number | null): Row {
  const { key, form, body } = draft;
  const model = draft.model ?? readModel(body);
  const hash = hashValue({ provider, form, model, body });
  return {
    provider,
    form,
    key,
    model,
    ...readPrompt(form, body),
    body,
    batch,
    hash,
    doomed: draft.doomed === true,
  };
}

/** The model's work on a request at a moment, written into the book. */
export function execute(world: World, row: Row, at: number, batch: string | null): Run {
  const fault = findFault(world, row, at);
  const responseId = world.ids.next('', 24);
  const run: Run = { row, at, responseId, fault: nameFault(fault), ...runRow(row, world.answer(row), fault) };
  const { billed, usage } = run;
  const { provider, key: id, hash } = row;
  world.book.charged.push({ batch, provider, id, hash, at, usage, billed, responseId, fault: run.fault });
  return run;
}

function findFault(world: World, row: Row, at: number): RowFault | null {
  const { provider, batch } = row;
  const lie = world.liar.find({ on: 'row', provider, batch, part: null, endedAt: null, row }, at);
  return lie?.on === 'row' ? lie.what : null;
}

function nameFault(fault: RowFault | null): string | null {
  switch (fault?.kind) {
    case undefined:
      return null;
    case 'row_error':
      return fault.error;
    case 'usage':
      return fault.tale;
    case 'vectors':
      return fault.twist;
    default:
      return fault?.kind ?? null;
  }
}
