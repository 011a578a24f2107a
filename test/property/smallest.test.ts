import { expect, it } from 'vitest';
import { testFolder } from '../support/folder.ts';
import type { Program } from '../support/program.ts';
import { programFiles } from '../support/program-file.ts';
import { keepFailure, smallestFailure } from './smallest.ts';

/** As if a lost machine were fatal after an edit. */
async function isFatal({ steps }: Program): Promise<void> {
  const edited = steps.findIndex((step) => step.do === 'edit');
  const lost = steps.findLastIndex((step) => step.do === 'kill' && step.lose === 'machine');
  if (edited !== -1 && lost > edited) throw new Error('the machine was lost after an edit');
}

it('a failure becomes as small as it can be, and a file that is a test', async () => {
  const failure = await smallestFailure(isFatal, { seed: 5, numRuns: 500 });
  expect(failure).toMatchObject({ why: expect.stringContaining('the machine was lost after an edit') });
  const folder = await testFolder();
  if (failure !== null) keepFailure(failure, folder);
  const [file] = programFiles(folder);
  expect(file?.name).toMatch(/^found-5-[\d-]+\.json$/);
  expect(file?.program).toMatchObject({
    about: failure?.why,
    rows: 3,
    canary: false,
    steps: [
      { do: 'edit', what: 'prompt' },
      { do: 'kill', at: 0, lose: 'machine' },
    ],
  });
  await expect(isFatal(file?.program as Program)).rejects.toThrow();
});

it('where all end well there is nothing to keep', async () => {
  expect(await smallestFailure(async () => {}, { seed: 5, numRuns: 20 })).toBeNull();
});
