import type { Json } from '../../ids.ts';
import { tokensOf } from '../answers.ts';
import { isTerminal, pastOf, stageAt } from '../batch/lifecycle.ts';
import type { Register } from '../batch/register.ts';
import type { Incoming, World } from '../face.ts';
import { json, type Reply, readSmallBody } from '../http.ts';
import { isObject, member } from '../json-value.ts';
import type { Table } from '../state-log.ts';
import type { Files } from './files.ts';
import { listPage } from './page.ts';
import { refusal, retryInfo } from './replies.ts';
import { type Endpoint, type GeminiBatch, WINDOW_MS } from './types.ts';
import { wireBatch } from './wire-batch.ts';

/** The calls about batches. */
export interface Batches {
  create(endpoint: Endpoint, model: string, incoming: Incoming): Promise<Reply>;
  poll(id: string): Promise<Reply>;
  list(incoming: Incoming): Promise<Reply>;
  cancel(id: string): Promise<Reply>;
}

export function createBatches(
  world: World,
  rows: Table<GeminiBatch>,
  register: Register<GeminiBatch>,
  files: Files,
): Batches {
  const { clock } = world;
  const show = (row: GeminiBatch) => wireBatch(row, register.shown(row), clock.now());
  const showPast = (lagMs: number) => (row: GeminiBatch) => {
    const past = pastOf(row, clock.now(), lagMs);
    return wireBatch(past.row, past.stage, past.at);
  };

  function holds(row: GeminiBatch, model: string): boolean {
    return row.model === model && !isTerminal(stageAt(row, clock.now()).status);
  }

  /** Until a batch is validated its bytes must do. */
  function tokensIn({ verdict, inputFile }: GeminiBatch): number {
    return verdict?.kind === 'valid' ? verdict.run.inputTokens : tokensOf(files.find(inputFile)?.bytes ?? 0);
  }

  /** Gemini counts what is enqueued when a batch is created, and refuses there and then. */
  function isFull(model: string, bytes: number): boolean {
    const limit = world.scenario().limits.enqueued_tokens;
    if (limit === null) return false;
    const enqueued = rows
      .all()
      .reduce((sum, row) => sum + (holds(row, model) ? sum + tokensIn(row) : sum), 0);
    return enqueued + tokensOf(bytes) > limit;
  }

  return {
    async create(endpoint, model, { request, fault }) {
      const read = readCreate(await readSmallBody(request));
      if ('reply' in read) return read.reply;
      const { models } = world.scenario().limits;
      if (models !== null && !models.includes(model)) return noModel(model);
      const input = files.find(read.inputFile);
      // A guess: what Gemini says here is written nowhere.
      if (input === null) return refusal('NOT_FOUND', 'Requested entity was not found.');
      if (isFull(model, input.bytes)) return tooMuch();
      const own = { ...read, endpoint, model, inputPath: input.path, windowMs: WINDOW_MS };
      const row = register.add(own, fault);
      return json(200, wireBatch(row, stageAt(row, clock.now()), clock.now()));
    },

    async poll(id) {
      const row = await register.visible(id);
      return row === null ? noBatch() : json(200, show(row));
    },

    async list({ query, fault }) {
      const wire = fault.lag_ms === undefined ? show : showPast(fault.lag_ms);
      return listPage('operations', await register.listed(), wire, query, fault);
    },

    async cancel(id) {
      const row = await register.visible(id);
      if (row === null) return noBatch();
      // A guess, as for OpenAI.
      return register.cancel(row) === null
        ? refusal('FAILED_PRECONDITION', 'The batch has ended and cannot be cancelled.')
        : json(200, {});
    },
  };
}

type Read = Pick<GeminiBatch, 'displayName' | 'inputFile'> | { readonly reply: Reply };

function readCreate(text: string | null): Read {
  const batch = member(parsed(text), 'batch');
  if (!isObject(batch)) return { reply: refusal('INVALID_ARGUMENT', 'The request has no batch.') };
  const { displayName } = batch;
  if (typeof displayName !== 'string' || displayName === '')
    return { reply: refusal('INVALID_ARGUMENT', 'batch.display_name is required.') };
  const config = batch.inputConfig ?? batch.input_config;
  const fileName = member(config, 'fileName') ?? member(config, 'file_name');
  if (typeof fileName !== 'string' || !fileName.startsWith('files/'))
    return {
      reply: refusal('INVALID_ARGUMENT', 'The emulator takes an input file, and no inlined requests.'),
    };
  return { displayName, inputFile: fileName.slice('files/'.length) };
}

function parsed(text: string | null): Json | undefined {
  try {
    return JSON.parse(text ?? '') as Json;
  } catch {
    return undefined;
  }
}

function noModel(model: string): Reply {
  const message = `models/${model} is not found for API version v1beta, or is not supported for batchGenerateContent.`;
  return refusal('NOT_FOUND', message);
}

function tooMuch(): Reply {
  const message =
    'You exceeded your current quota, please check your plan and billing details. ' +
    'Quota exceeded for metric: generativelanguage.googleapis.com/batch_enqueued_tokens.';
  return refusal('RESOURCE_EXHAUSTED', message, [retryInfo(30)]);
}

function noBatch(): Reply {
  return refusal('NOT_FOUND', 'Requested entity was not found.');
}
