/** Whether a signal has asked to stop. The first lets the running call finish and its receipt be written. */
export interface StopSignal extends Disposable {
  readonly stopping: () => boolean;
}

/** Hosts give 7.5 s between SIGINT and SIGTERM; a create that takes longer than this is found again by its tag. */
const GRACE_MS = 7_000;

export function onStopSignal(tell: (text: string) => void): StopSignal {
  let stopping = false;
  let grace: NodeJS.Timeout | undefined;
  const ask = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    tell(
      `${signal}: nothing new is started; no batch is cancelled. Finishing what runs (at most ${GRACE_MS / 1000} s).\n`,
    );
    grace = setTimeout(() => process.exit(130), GRACE_MS).unref();
  };
  process.on('SIGINT', ask);
  process.on('SIGTERM', ask);
  return {
    stopping: () => stopping,
    [Symbol.dispose]() {
      clearTimeout(grace);
      process.off('SIGINT', ask);
      process.off('SIGTERM', ask);
    },
  };
}
