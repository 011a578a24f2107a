import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { instant } from '../../runner/ids.ts';
import { findingText } from '../../runner/spec/finding-text.ts';
import { loadRepository } from '../../runner/spec/load.ts';
import { repo, TICKET_FILES } from '../support/repo.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/spec/broken');
const CASES = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'));

/**
 * Each file is the one job of an otherwise good repository. What stands beside it is what a person reads, word for
 * word: a change of a message shows in the review of the `.txt`.
 */
test.each(CASES)('%s', async (file) => {
  await using broken = await repo({
    ...TICKET_FILES,
    'batchwright.yaml': 'budgets: { per_run_usd: 100 }\npolicy: { never_send: [email] }\n',
    'jobs/ticket-labels.yaml': readFileSync(join(FOLDER, file)),
  });
  const { findings, jobs } = await loadRepository(broken.root, { now: instant('2026-11-30T09:00:00Z') });
  const text = findings.map((finding) => `${findingText(finding)}\n`).join('\n');
  await expect(text).toMatchFileSnapshot(join(FOLDER, file.replace('.yaml', '.txt')));
  expect(jobs.length).toBe(findings.some(({ level }) => level === 'error') ? 0 : 1);
});
