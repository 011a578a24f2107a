import { setImmediate } from 'node:timers/promises';

/** Longer than this nobody else's request should wait for a loop over lines. */
const LONGEST_BLOCK_MS = 10;

/** Lets other requests through in the middle of a long loop: `if (pause.due()) await pause.take();`. */
export interface Pause {
  due(): boolean;
  take(): Promise<void>;
}

/** @throws the reason of `signal` from `take`, once it is aborted. */
export function createPause(signal?: AbortSignal): Pause {
  let since = performance.now();
  return {
    due: () => performance.now() - since > LONGEST_BLOCK_MS,
    async take() {
      await setImmediate();
      signal?.throwIfAborted();
      since = performance.now();
    },
  };
}
