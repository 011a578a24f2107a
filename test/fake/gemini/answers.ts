import { createHash } from 'node:crypto';
import { toStamp } from '../clock.ts';
import type { Json } from '../json.ts';
import type { RowError, Run, Stop, ToldUsage } from '../model.ts';

/** The name of an error in google.rpc, its number there, and the HTTP status that belongs to it. */
export type Fault = { name: string; rpc: number; http: number; message: string };

/** The answer of a run; undefined where the run is an error. */
export function writeResponse(run: Run): Json | undefined {
  const { outcome, row } = run;
  if (outcome.is === 'error') return undefined;
  if (row.form === 'embed') return writeEmbedding(run, outcome.told);
  const { texts, stop, told } = outcome;
  return {
    ...(stop === 'refusal'
      ? { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }
      : writeCandidate(texts, stop)),
    ...(told === null ? {} : { usageMetadata: writeUsage(told) }),
    modelVersion: row.model,
    createTime: toStamp(run.at),
    responseId: run.responseId,
  };
}

/** The error of a row. */
export function nameFault(error: RowError, model: string): Fault {
  switch (error) {
    case 'capacity':
      return { name: 'RESOURCE_EXHAUSTED', rpc: 8, http: 429, message: 'Resource has been exhausted.' };
    case 'server':
      return { name: 'INTERNAL', rpc: 13, http: 500, message: 'An internal error has occurred.' };
    case 'invalid':
      return {
        name: 'INVALID_ARGUMENT',
        rpc: 3,
        http: 400,
        message: 'Request contains an invalid argument.',
      };
    case 'model':
      return { name: 'NOT_FOUND', rpc: 5, http: 404, message: `models/${model} is not found.` };
    case 'money':
      return { name: 'RESOURCE_EXHAUSTED', rpc: 8, http: 402, message: 'The project is out of credit.' };
    default:
      return error satisfies never;
  }
}

/** A blocked prompt has no candidates; an empty text has a candidate without parts. */
function writeCandidate(texts: string[], stop: Stop): Json {
  const parts = texts.filter((text) => text !== '').map((text) => ({ text }));
  const content = { ...(parts.length === 0 ? {} : { parts }), role: 'model' };
  return { candidates: [{ content, finishReason: nameFinish(stop), index: 0 }] };
}

function nameFinish(stop: Stop): string {
  switch (stop) {
    case 'end':
    case 'refusal':
      return 'STOP';
    case 'length':
      return 'MAX_TOKENS';
    case 'context':
      return 'MODEL_CONTEXT_WINDOW_EXCEEDED';
    case 'unknown':
      return 'GREW_TIRED';
    default:
      return stop satisfies never;
  }
}

/** Thoughts are counted beside the candidates, not among them; zeros are left out. */
function writeUsage({ input, output, cached, reasoning, total }: ToldUsage): Json {
  const counts = {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    cachedContentTokenCount: cached,
    thoughtsTokenCount: reasoning,
    totalTokenCount: total,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

function writeEmbedding(run: Run, told: ToldUsage | null): Json {
  const digest = createHash('sha512').update(run.row.prompt).digest();
  const values = Array.from({ length: 8 }, (_, at) => ((digest[at] ?? 0) - 128) / 256);
  return { embedding: { values }, ...(told === null ? {} : { tokenCount: String(told.input) }) };
}
