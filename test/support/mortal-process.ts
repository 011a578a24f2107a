import fs from 'node:fs/promises';
import { flushCompileCache, syncBuiltinESMExports } from 'node:module';

/**
 * Loaded into a real `batchwright` before anything else (`node --import`): its clock starts where TEST_CLOCK says
 * (milliseconds since 1970) and goes on with the machine's; right before its TEST_KILL_AT-th call that changes files
 * (from 1) it gets a SIGKILL, of which no code of it hears.
 */
const realNow = Date.now;
const shift = Number(process.env.TEST_CLOCK) - realNow();
Date.now = () => realNow() + shift;

const killAt = Number(process.env.TEST_KILL_AT ?? Number.POSITIVE_INFINITY);
let calls = 0;

for (const name of ['open', 'link', 'rename', 'copyFile', 'rm', 'writeFile'] as const) {
  const original = fs[name] as (...args: unknown[]) => Promise<unknown>;
  const counted = (...args: unknown[]): Promise<unknown> => {
    calls += 1;
    if (calls === killAt) {
      // Where NODE_COMPILE_CACHE is set, the next process starts in half the time; else it does nothing.
      flushCompileCache();
      process.kill(process.pid, 'SIGKILL');
    }
    return original(...args);
  };
  Object.assign(fs, { [name]: counted });
}
syncBuiltinESMExports();
