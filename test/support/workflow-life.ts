import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runInit } from '../../runner/commands/init.ts';
import { type Given, KEY, TOKEN, type WorkflowHost, workflowHost } from './workflow-host.ts';

export const RECONCILE = '.github/workflows/batchwright-reconcile.yml';
export const MINUTE = 60_000;
/** A dozen processes one after the other, beside everything else that a test run does. */
export const SLOW = { timeout: 300_000 };

/** What `init` makes, on the laptop; its provider is the emulator. */
export async function initialised(): Promise<WorkflowHost> {
  const host = await workflowHost();
  await runInit({ folder: host.laptop, version: '0.1.0', json: false, out: () => {} });
  const settings = join(host.laptop, 'batchwright.yaml');
  await writeFile(settings, `${await readFile(settings, 'utf8')}${host.providers}`);
  return host;
}

export async function pass(host: WorkflowHost, given: Given = { github: {} }) {
  const ran = await host.run(RECONCILE, 'reconcile', given);
  expect(ran?.failed, ran?.log).toBe(false);
  expect(ran?.log).not.toContain(TOKEN);
  expect(ran?.log).not.toContain(KEY);
  return ran;
}

/** Passes, each on a machine that has nothing but a fresh clone, until the host's page says so. */
export async function passUntil(host: WorkflowHost, phase: string): Promise<number> {
  for (let passes = 1; passes <= 12; passes += 1) {
    await pass(host);
    if ((await status(host)).phase === phase) return passes;
    host.emulator.clock.advance(15 * MINUTE);
  }
  throw new Error(`not ${phase} after 12 passes: ${JSON.stringify(await status(host))}`);
}

export async function status(host: WorkflowHost): Promise<{ phase: string; run?: { run: number } }> {
  return JSON.parse(await host.git('show', 'main:state/ticket-labels/status.json'));
}

export async function charged(host: WorkflowHost): Promise<number> {
  let count = 0;
  for await (const entry of host.emulator.ledger()) if (entry.kind === 'request' && entry.charged) count += 1;
  return count;
}
