import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

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

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Twice the cores of the smallest machine we build on: a worker waits for disks and DuckDB's threads a good part
    // of its time. Measured there: two take 79 s for what four do in 73 s.
    maxWorkers: 4,
    // With both cores busy, threads that collect garbage beside the work only take it from others: a tenth less time.
    execArgv: ['--single-threaded-gc', '--max-semi-space-size=32'],
    sequence: { sequencer: LongFirst },
    unstubEnvs: true,
  },
});
