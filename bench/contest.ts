import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from './contestant.ts';
import { looksAt } from './looks.ts';
import { writeRepository } from './task.ts';

export type Contestant = 'bare' | 'batchwright' | 'peer';

const HERE = import.meta.dirname;
export const WORK = join(HERE, 'work');

/** Above this the peer is left out: it holds all rows and all answers in memory. */
const PEER_ROWS = 100_000;

/** The flags of `npm run batchwright`, and the one that `runner/cli.ts` sets; the others run as Node comes. */
const FLAGS: Readonly<Record<Contestant, readonly string[]>> = {
  bare: [],
  batchwright: ['--max-semi-space-size=8', '--heap-growing-percent=100'],
  peer: [],
};

export function contestantsFor(rows: number): Contestant[] {
  const isPeerHere = existsSync(join(HERE, 'node_modules/ai/package.json'));
  return isPeerHere && rows <= PEER_ROWS ? ['bare', 'batchwright', 'peer'] : ['bare', 'batchwright'];
}

/** One contestant in a fresh process, against a fresh server, in a fresh folder that is removed afterwards. */
export async function runOnce(contestant: Contestant, rowsFile: string, rows: number): Promise<Result> {
  const work = join(WORK, contestant);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const server = spawn(process.execPath, [join(HERE, 'server.ts')], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const url = (await outputOf(server)).trim();
    if (contestant === 'batchwright') writeRepository(work, rowsFile, url);
    const result = await measured(contestant, [rowsFile, url, work]);
    if (result.ok !== rows) throw new Error(`${contestant} has ${result.ok} of ${rows} answers`);
    return contestant === 'batchwright' ? { ...result, looks: looksAt(work) } : result;
  } finally {
    server.kill();
    rmSync(work, { recursive: true, force: true });
  }
}

async function measured(contestant: Contestant, order: readonly string[]): Promise<Result> {
  const script = join(HERE, `${contestant}.ts`);
  const child = spawn(process.execPath, [...FLAGS[contestant], script, ...order], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // As `batchwright` sets it up for itself: compiled code is kept from run to run.
    env: { ...process.env, NODE_COMPILE_CACHE: join(WORK, 'compiled') },
  });
  const [line] = await Promise.all([outputOf(child), once(child, 'close')]);
  if (child.exitCode !== 0) throw new Error(`${contestant} ended with ${child.exitCode ?? child.signalCode}`);
  return JSON.parse(line) as Result;
}

/** The first thing that a process prints. */
async function outputOf(child: ChildProcess): Promise<string> {
  const { stdout } = child;
  if (stdout === null) throw new Error('the process has no output');
  for await (const chunk of stdout.setEncoding('utf8')) return chunk as string;
  return '';
}
