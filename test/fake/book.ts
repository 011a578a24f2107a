import type { ProviderName, Usage } from './model.ts';

/** A batch that came into being. */
export type CreateEntry = {
  batch: string;
  provider: ProviderName;
  at: number;
  ids: string[];
  hashes: string[];
  /** The metadata or display name by which its owner may know it; null at Anthropic. */
  tag: unknown;
};

/** A request that was executed. Only `billed` ones cost anything. */
export type ChargeEntry = {
  /** Null for a synchronous call. */
  batch: string | null;
  provider: ProviderName;
  id: string;
  hash: string;
  at: number;
  usage: Usage;
  billed: boolean;
  responseId: string;
  /** The fault that the schedule put into it, or null. */
  fault: string | null;
};

/** A result file, or a batch with its results, that the client deleted. */
export type DeleteEntry = {
  what: 'result_file' | 'batch';
  id: string;
  batch: string;
  provider: ProviderName;
  at: number;
  /** Its whole true content had left for the client before. Nothing to lose counts as delivered. */
  deliveredWhole: boolean;
};

/** An input file that the client deleted. */
export type InputDeleteEntry = { id: string; provider: ProviderName; at: number };

/** One HTTP call. Status 0 means that the connection was broken before a status was sent. */
export type CallEntry = {
  at: number;
  provider: ProviderName;
  method: string;
  path: string;
  on: string;
  status: number;
  /** The kind of lie that was told, or null. */
  lie: string | null;
};

/** What the provider knows for certain of all that happened. */
export type Book = {
  creates: CreateEntry[];
  charged: ChargeEntry[];
  deleted: DeleteEntry[];
  inputsDeleted: InputDeleteEntry[];
  calls: CallEntry[];
};

/** An empty book. */
export function openBook(): Book {
  return { creates: [], charged: [], deleted: [], inputsDeleted: [], calls: [] };
}
