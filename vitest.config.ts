import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { memoryFolder } from './test/support/memory-folder.ts';

/** What takes half a minute or more begins first, or it would run alone in the end. */
const LONG = [
  'test/property/life',
  'test/kill/',
  '.walk.ts',
  'test/workflows/life',
  'test/reconcile/canary-ends',
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((part) => moduleId.includes(part));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/**
 * Tests of functions over values and of adapters on loopback share a process: nothing that one leaves behind meets
 * another, and to begin a process takes longer than most of them. Those that measure memory have one of their own.
 */
const LIGHT = ['spec', 'plan', 'report', 'outcome', 'journal', 'doctor', 'bench', 'provider', 'emulator'].map(
  (part) => `test/${part}/**/!(memory).test.ts`,
);

const folder = memoryFolder();

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'light', include: LIGHT, isolate: false } },
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: LIGHT } },
      // Every boundary, many lives, many lies: `npm run test:walk`, and CI.
      { extends: true, test: { name: 'walk', include: ['test/**/*.walk.ts'] } },
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores on the smallest machine we build on: four workers do no more there, and every test takes twice as long.
    maxWorkers: 2,
    // With both cores busy, threads that collect garbage beside the work only take it from others.
    execArgv: ['--single-threaded-gc', '--max-semi-space-size=32'],
    env: folder === null ? {} : { TMPDIR: folder },
    sequence: { sequencer: LongFirst },
    unstubEnvs: true,
  },
});
