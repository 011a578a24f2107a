import type { Json } from './json.ts';

export type ProviderName = 'openai' | 'anthropic' | 'gemini';

/** Which shape a request and its answer have. */
export type Form = 'chat' | 'responses' | 'embeddings' | 'messages' | 'generate' | 'embed';

/** What the model is asked, as the `answer` option and the predicates of rows see it. */
export type ModelRequest = {
  provider: ProviderName;
  form: Form;
  /** The custom id, or Gemini's key; empty in a synchronous call. */
  key: string;
  model: string;
  /** The texts of the user, one below the other. */
  prompt: string;
  /** The system prompt or instructions, or empty. */
  system: string;
  body: Json;
  /** Which batch of its provider it belongs to, from 1; null for a synchronous call. */
  batch: number | null;
};

/** A request as it lies in a batch, with the digest by which the books know it again. */
export type Row = ModelRequest & {
  hash: string;
  /** Its parameters are such that it cannot run; it is told when the batch has ended. */
  doomed: boolean;
};

/** Tokens of one request. */
export type Usage = { input: number; output: number };

/** Usage as the answer tells it, which need not be what was charged; null where it tells nothing. */
export type ToldUsage = { input: number; output: number; cached: number; reasoning: number; total: number };

/** Why an answer ended. */
export type Stop = 'end' | 'length' | 'refusal' | 'context' | 'unknown';

export type RowError = 'capacity' | 'server' | 'invalid' | 'model' | 'money';

/** What is odd about the vectors of an answer. */
export type Twist = 'reversed' | 'base64' | 'one_missing';

/** What came of a request, before a provider puts it in its words. `texts` are separate messages. */
export type Outcome =
  | { is: 'answer'; texts: string[]; stop: Stop; told: ToldUsage | null; twist: Twist | null }
  | { is: 'error'; error: RowError };

/** One execution of a request. Only `billed` ones cost anything. */
export type Run = {
  row: Row;
  at: number;
  responseId: string;
  outcome: Outcome;
  /** The name of the fault that the schedule put into it, or null. */
  fault: string | null;
  billed: boolean;
  usage: Usage;
};

/** Which result file a line stands in. Anthropic's results and Gemini's file count as `output`. */
export type Part = 'output' | 'error';

/** A line of a result file, as it truly is. */
export type ResultLine = { part: Part; key: string; value: Json };
