import { join } from 'node:path';
import { it } from 'vitest';
import { liveThrough } from '../support/program.ts';
import { programFiles } from '../support/program-file.ts';
import { expectAnyLifeSound } from './sound.ts';

/** What `life.test.ts` found, or what is worth living each time. */
it.each(programFiles(join(import.meta.dirname, 'programs')))('$name', async ({ program }) => {
  await expectAnyLifeSound(await liveThrough(program));
});
