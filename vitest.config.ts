import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { memoryFolder } from './test/support/memory-folder.ts';

/** Tests that take a minute or more begin first, or they would run alone in the end. */
const LONG = [
  'test/property/life',
  'test/kill/',
  'test/commands/rehearse-scenario',
  'test/reconcile/writers',
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((part) => moduleId.includes(part));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const folder = memoryFolder();

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
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
