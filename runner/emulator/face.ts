import type { IncomingMessage } from 'node:http';
import type { EmulatorClock } from './clock.ts';
import type { AnyCallFault, FaultPlan } from './faults.ts';
import type { Reply } from './http.ts';
import type { LedgerEntry } from './ledger.ts';
import type { CallName } from './scenario.ts';
import type { FullScenario } from './scenario-check.ts';
import type { StateLog } from './state-log.ts';

/** One provider's API. Faces share the clock, the faults, the answers and the state; each has its own words. */
export interface Face {
  /** The call that a request is, or null where it is not this provider's: two may have the same path. */
  find(request: IncomingMessage, path: string): FoundCall | null;
  /** The answer to a request without credentials, or null where it has some. */
  refuse(request: IncomingMessage): Reply | null;
  /** An error in the provider's shape, as a fault asks for it. */
  error(status: number, fault: AnyCallFault): Reply;
  ledger(): AsyncGenerator<LedgerEntry>;
  /** Ends what goes on in the background. */
  close(): Promise<void>;
}

export interface FoundCall {
  readonly on: CallName;
  /** The batch that it is about, by order of creation; null where it is about none. */
  batchNumber(): number | null;
  answer(incoming: Incoming): Promise<Reply>;
}

export interface Incoming {
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  /** The fault that this call meets; the server sees to delays, statuses and resets. */
  readonly fault: AnyCallFault;
}

/** What all faces stand on. */
export interface World {
  readonly clock: EmulatorClock;
  /** Of uploaded and produced files. */
  readonly dir: string;
  readonly log: StateLog;
  /** As it is now: `setScenario` changes it. */
  scenario(): FullScenario;
  faults(): FaultPlan;
}
