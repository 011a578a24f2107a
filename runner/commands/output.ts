import { isCode } from '../files.ts';

export interface WatchedOutput {
  /** When all that was printed has gone out. @throws what kept it: a full disk. */
  settled(): Promise<void>;
}

/**
 * Keeps what cannot be printed from ending the process in the middle of its work: without a listener Node throws it, with
 * a stack. A reader that has seen enough (`| head`) is no error; a full disk behind `>` is told at the end.
 */
export function watchOutput(out: NodeJS.WriteStream, err: NodeJS.WriteStream): WatchedOutput {
  let failure: Error | null = null;
  out.on('error', (error) => {
    failure ??= isCode(error, 'EPIPE') ? null : error;
  });
  // Nobody is left who could be told.
  err.on('error', () => {});
  return {
    async settled() {
      await new Promise<void>((resolve) => out.write('', () => resolve()));
      if (failure !== null) throw failure;
    },
  };
}
