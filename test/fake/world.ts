import { type Batch, findDueRuns, readTimeline } from './batch.ts';
import type { Book } from './book.ts';
import type { Clock } from './clock.ts';
import type { Contract } from './contract.ts';
import type { InputFile, StoredFile } from './files.ts';
import { type Ids, shuffle } from './ids.ts';
import type { Json } from './json.ts';
import type { Liar } from './lies.ts';
import { type Plan, USUAL_PLAN } from './life.ts';
import type { ModelRequest, ProviderName, ResultLine, Row, Run } from './model.ts';
import { execute, makeRow, type RowDraft } from './work.ts';

/** What a new batch is made of. */
export type Draft = {
  id: string;
  rows: RowDraft[];
  inputFile: string | null;
  details: Json;
  tag: unknown;
  /** Overrules the schedule: the batch fails its validation. */
  failure?: Plan['end'];
};

/** Ways in which servers that speak like OpenAI differ from it, as recorded from some of them. */
export type Quirks = {
  /** An error file without a byte, where nothing went wrong. */
  emptyErrorFile?: boolean;
  /** The id of an error file that is not there is "" rather than null. */
  emptyErrorId?: boolean;
  /** All lines stand in the output file, whatever their status. */
  errorsInOutput?: boolean;
  /** What would be null is not there. */
  absentNulls?: boolean;
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
  quirks: Quirks;
  answer(request: ModelRequest): string;
  planFor(provider: ProviderName, nth: number): Partial<Plan>;
  contracts: Record<ProviderName, Contract>;
};

/** Lets everything happen that is due by now: requests run, batches end, files pass their time. */
export function settle(world: World): void {
  const now = world.clock.now();
  const open = world.batches.filter(({ results }) => results === null);
  const due = open.flatMap((batch) =>
    findDueRuns(batch, now)
      .filter(() => !(contractOf(world, batch).losesExpired && readTimeline(batch).last === 'expired'))
      .map(({ index, at }) => ({ batch, index, at })),
  );
  due.sort((one, other) => one.at - other.at);
  for (const { batch, index, at } of due) batch.runs.set(index, runOne(world, batch, index, at));
  for (const batch of open) if (readTimeline(batch).endedAt <= now) close(world, batch);
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

/** The batch of a provider by its id; undefined where there is none, or it was deleted. */
export function findBatch(world: World, provider: ProviderName, id: string): Batch | undefined {
  return world.batches.find(
    (batch) => batch.provider === provider && batch.id === id && batch.deletedAt === null,
  );
}

/** The batches of a provider that existed at a moment, newest first. Of those, one deleted since is among them. */
export function listBatches(world: World, provider: ProviderName, at: number): Batch[] {
  return world.batches
    .filter(
      (batch) => batch.provider === provider && batch.createdAt <= at && (batch.deletedAt ?? Infinity) > at,
    )
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

function close(world: World, batch: Batch): void {
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
