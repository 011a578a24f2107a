import { type Batch, findDueRuns, readTimeline } from './batch.ts';
import type { Book } from './book.ts';
import type { Clock } from './clock.ts';
import type { Contract } from './contract.ts';
import type { InputFile, StoredFile } from './files.ts';
import { type Ids, shuffle } from './ids.ts';
import { hashValue, type Json } from './json.ts';
import type { Liar } from './lies.ts';
import { type Plan, USUAL_PLAN } from './life.ts';
import type { Form, ModelRequest, ProviderName, ResultLine, Row, Run } from './model.ts';
import { readModel, readPrompt } from './prompt.ts';
import { type RowFault, runRow } from './rows.ts';

/** What a new batch is made of. */
export type Draft = {
  id: string;
  rows: { key: string; form: Form; body: Json; model?: string }[];
  inputFile: string | null;
  details: Json;
  tag: unknown;
  /** Overrules the schedule: the batch fails its validation. */
  failure?: Plan['end'];
};

/** All that the three providers hold. */
export type World = {
  clock: Clock;
  ids: Ids;
  liar: Liar;
  book: Book;
  files: Map<string, StoredFile>;
  batches: Batch[];
  /** Where the fake listens, such as http://127.0.0.1:4321. */
  origin: string;
  seed: number;
  answer(request: ModelRequest): string;
  planFor(provider: ProviderName, nth: number): Partial<Plan>;
  contracts: Record<ProviderName, Contract>;
};

/** Lets everything happen that is due by now: requests run, batches end, files pass their time. */
export function settle(world: World): void {
  const now = world.clock.now();
  const due = world.batches.flatMap((batch) =>
    findDueRuns(batch, now)
      .filter(() => !(contractOf(world, batch).losesExpired && readTimeline(batch).last === 'expired'))
      .map(({ index, at }) => ({ batch, index, at })),
  );
  due.sort((one, other) => one.at - other.at);
  for (const { batch, index, at } of due) batch.runs.set(index, runOne(world, batch, index, at));
  for (const batch of world.batches) if (readTimeline(batch).endedAt <= now) close(world, batch);
  for (const [id, file] of world.files) if (file.expiresAt <= now) world.files.delete(id);
}

/** Makes a batch, and writes it into the book. */
export function createBatch(world: World, provider: ProviderName, draft: Draft): Batch {
  const nth = world.batches.filter((batch) => batch.provider === provider).length + 1;
  const planned = { ...USUAL_PLAN, ...world.contracts[provider].plan, ...world.planFor(provider, nth) };
  const batch: Batch = {
    provider,
    id: draft.id,
    nth,
    createdAt: world.clock.now(),
    plan: draft.failure === undefined ? planned : { ...planned, end: draft.failure },
    cancelAskedAt: null,
    rows: draft.rows.map((row) => makeRow(provider, row, nth)),
    runs: new Map(),
    results: null,
    deletedAt: null,
    inputFile: draft.inputFile,
    details: draft.details,
  };
  world.batches.push(batch);
  noteCreate(world, batch, draft.tag);
  settle(world);
  return batch;
}

/** The model's work on a synchronous call. */
export function runSync(world: World, provider: ProviderName, form: Form, body: Json, model?: string): Run {
  const row = makeRow(provider, { key: '', form, body, ...(model === undefined ? {} : { model }) }, null);
  return execute(world, row, world.clock.now(), null);
}

/** The batch of a provider by its id; undefined where there is none, or it was deleted. */
export function findBatch(world: World, provider: ProviderName, id: string): Batch | undefined {
  return world.batches.find(
    (batch) => batch.provider === provider && batch.id === id && batch.deletedAt === null,
  );
}

/** The batches of a provider that existed at a moment, newest first. */
export function listBatches(world: World, provider: ProviderName, at: number): Batch[] {
  return world.batches
    .filter((batch) => batch.provider === provider && batch.createdAt <= at && batch.deletedAt === null)
    .reverse();
}

/** The file of a provider by its id. */
export function findFile(world: World, provider: ProviderName, id: string): StoredFile | undefined {
  const file = world.files.get(id);
  return file?.provider === provider ? file : undefined;
}

/** Keeps an uploaded file. */
export function keepInput(world: World, file: Omit<InputFile, 'kind' | 'createdAt'>): InputFile {
  const kept: InputFile = { kind: 'input', createdAt: world.clock.now(), ...file };
  world.files.set(file.id, kept);
  return kept;
}

/** Deletes a file at the wish of the client. */
export function deleteFile(world: World, file: StoredFile): void {
  const { id, provider } = file;
  const at = world.clock.now();
  world.files.delete(id);
  if (file.kind === 'input') world.book.inputsDeleted.push({ id, provider, at });
  else
    world.book.deleted.push({
      what: 'result_file',
      id,
      batch: file.batch,
      provider,
      at,
      deliveredWhole: file.delivered || file.lines.length === 0,
    });
}

/** Deletes a batch at the wish of the client, with whatever results it has or will have. */
export function deleteBatch(world: World, batch: Batch): void {
  const { id, provider } = batch;
  const at = world.clock.now();
  const deliveredWhole =
    batch.results?.every(({ delivered, lines }) => delivered || lines.length === 0) ?? false;
  batch.deletedAt = at;
  world.book.deleted.push({ what: 'batch', id, batch: id, provider, at, deliveredWhole });
}

function makeRow(
  provider: ProviderName,
  draft: { key: string; form: Form; body: Json; model?: string },
  batch: number | null,
): Row {
  const { key, form, body } = draft;
  const model = draft.model ?? readModel(body);
  const hash = hashValue({ provider, form, model, body });
  return { provider, form, key, model, ...readPrompt(form, body), body, batch, hash };
}

function noteCreate(world: World, batch: Batch, tag: unknown): void {
  world.book.creates.push({
    batch: batch.id,
    provider: batch.provider,
    at: batch.createdAt,
    ids: batch.rows.map(({ key }) => key),
    hashes: batch.rows.map(({ hash }) => hash),
    tag,
  });
}

function runOne(world: World, batch: Batch, index: number, at: number): Run {
  return execute(world, batch.rows[index] as Row, at, batch.id);
}

function execute(world: World, row: Row, at: number, batch: string | null): Run {
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
    default:
      return fault?.kind ?? null;
  }
}

function close(world: World, batch: Batch): void {
  if (batch.results !== null) return;
  const contract = contractOf(world, batch);
  const { last } = readTimeline(batch);
  const lines = batch.rows.flatMap((row, index): ResultLine[] => {
    const run = batch.runs.get(index);
    const line = run === undefined ? contract.writeLeft(row, last) : contract.writeRun(run);
    return line === null ? [] : [line];
  });
  batch.results = contract.storeResults(batch, shuffle(lines, `${world.seed}/${batch.id}`), world);
  for (const file of batch.results) world.files.set(file.id, file);
}

function contractOf(world: World, batch: Batch): Contract {
  return world.contracts[batch.provider];
}
