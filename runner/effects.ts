import { AsyncLocalStorage } from 'node:async_hooks';

/** What a listener is told right before an outside effect. */
export interface Effect {
  /** `file.write`, `file.sync`, `file.rename`, `store.put`, `http.send`, `http.answered`, `sink.write` … */
  readonly name: string;
  /** What it touches: a path or a call. */
  readonly target: string;
}

/** May throw: then the effect does not happen, and what called for it fails. */
export type EffectListener = (effect: Effect) => void;

const scope = new AsyncLocalStorage<EffectListener>();

/**
 * Announces an effect that is about to happen. Costs nothing where nobody listens. The crash tests listen: they end
 * the work at a chosen effect, which is all that a lost machine is.
 */
export function effect(name: string, target: string): void {
  scope.getStore()?.({ name, target });
}

/** Runs `work` with a listener for its effects, and for those of nobody else: several can stand side by side. */
export function withEffects<Result>(listener: EffectListener, work: () => Promise<Result>): Promise<Result> {
  return scope.run(listener, work);
}
