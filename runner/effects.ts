import { channel } from 'node:diagnostics_channel';

/** One message before each outside effect. The crash tests subscribe and end the process at a chosen one. */
export interface Effect {
  /** `file.write`, `file.sync`, `file.rename`, `store.put`, `http.send`, `http.answered`, `sink.write` … */
  readonly name: string;
  /** What it touches: a path or a call. */
  readonly target: string;
}

const effects = channel('batchwright:effect');

/** Announces an effect that is about to happen. Costs nothing while nobody listens. */
export function effect(name: string, target: string): void {
  if (effects.hasSubscribers) effects.publish({ name, target } satisfies Effect);
}
