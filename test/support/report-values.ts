import { type AccountId, jobName } from '../../runner/ids.ts';
import type { FleetReport, JobReport, RunReport } from '../../runner/report/report.ts';
import { completeReport, completeRun } from './report-complete.ts';
import { canaryReport, stalledReport, underWayReport } from './report-open.ts';
import { at, conditions, digest, money, shard, times } from './report-parts.ts';

export { completeReport } from './report-complete.ts';
export {
  canaryReport,
  failedCanaryReport,
  noCapacityReport,
  stalledReport,
  underWayReport,
} from './report-open.ts';
export { at } from './report-parts.ts';

/** The first example as `npm start` leaves it: 112 answers of the emulator, one row set aside. */
export function emulatorReport(): JobReport {
  const complete = completeRun();
  const run: RunReport = {
    ...complete,
    run: 1,
    generation: 1,
    reason: 'new job',
    task: 'extraction',
    emulator: true,
    books: {
      items: 113,
      dispositions: { applied: 112, set_aside: 1 },
      balanced: true,
      attempts: 113,
      batches: 3,
      rounds: [
        { attempts: 112, ok: 111 },
        { attempts: 1, ok: 1 },
      ],
    },
    needs: [
      {
        rows: 1,
        class: 'set_aside',
        cause: 'row-too-short',
        causeRows: 1,
        examples: ['row 57'],
        next: 'mend the row at its source; the changed file is a new run, which sends only what is new',
      },
    ],
    answers: {
      fields: [
        {
          name: 'risk',
          values: [
            { value: 'low', count: 61, before: null },
            { value: 'medium', count: 32, before: null },
            { value: 'high', count: 19, before: null },
          ],
        },
      ],
      before: null,
    },
    sample: [
      {
        key: '@duckdb/node-api@1.5.6-r.1',
        values: [
          ['purpose', 'Lorem ipsum dolor sit amet'],
          ['risk', 'low'],
        ],
      },
    ],
    servedModels: { 'gpt-5.4-mini-emulated': 113 },
    money: {
      ...money({ settledUsd: 0.0231, reservedUsd: 0, items: 112 }),
      perRunUsd: 1,
      wastedUsd: 0.0002,
      perThousandAppliedUsd: 0.206,
      synchronousUsd: 0.0462,
      owner: { monthUsd: 0, ofUsd: null },
    },
    time: times({
      canarySentAt: at(0.05),
      canaryDoneAt: at(0.1),
      sentAt: at(0.1),
      lastSettledAt: at(0.4),
      appliedAt: at(0.5),
    }),
    shards: [
      shard(1, { kind: 'canary', rows: 10, ok: 10, failed: 0, usd: 0.002, queuedMs: 800, ranMs: 1_900 }),
      shard(2, { rows: 102, ok: 101, failed: 1, usd: 0.0209, queuedMs: 700, ranMs: 14_200 }),
      shard(3, { kind: 'retry', rows: 1, ok: 1, failed: 0, usd: 0.0002, queuedMs: 500, ranMs: 900 }),
    ],
    sinks: [
      { kind: 'parquet', path: 'rehearsal/out/dependency-review.parquet', rows: 112, digest: digest('e') },
    ],
    provenance: {
      ...complete.provenance,
      commit: null,
      dirty: true,
      account: 'openai/emulator' as AccountId,
      journalSeq: 14,
      remoteFiles: 8,
      remoteFilesDeleted: 8,
    },
  };
  return {
    ...completeReport(),
    job: jobName('dependency-review'),
    file: 'jobs/dependency-review.yaml',
    owner: 'platform',
    description: 'Purpose, licence and risk of every package that we depend on.',
    labels: {},
    run,
    history: [],
  };
}

/** Nothing is frozen yet: the estimate needs a person's yes. */
export function plannedReport(): JobReport {
  return {
    ...completeReport(),
    phase: 'awaiting approval',
    conditions: conditions('awaiting approval', {
      type: 'Approved',
      reason: 'AboveThreshold',
      message: 'est. $27.11 is over the $20 that need approval',
    }),
    run: null,
    waits: [
      {
        what: 'run 1 (100,000 rows)',
        waitsFor: 'approval: est. $27.11 is over $20',
        until: null,
        command: 'batchwright approve ticket-labels',
      },
    ],
    history: [],
    journal: { lineage: '0b6f2a0e-55f1-4f6f-9d0e-6a1c7f0e8d11', seq: 2, head: digest('two') },
  };
}

/** Two hundred jobs of a company: a handful need a person, a few are under way, most are quiet. */
export function fleetReport(size = 200): FleetReport {
  const jobs = Array.from({ length: size }, (_, n) => fleetJob(n));
  return {
    jobs,
    broken: [
      {
        file: 'jobs/crm/clean.yaml',
        message: 'line 6: `modle` is not a field of a job; did you mean `model`?',
      },
    ],
  };
}

function fleetJob(n: number): JobReport {
  const name = jobName(
    `${['tickets', 'catalogue', 'reviews', 'contracts'][n % 4]}-${String(n).padStart(3, '0')}`,
  );
  const owner = ['support-platform', 'search', 'legal'][n % 3] ?? 'search';
  const base = { job: name, owner, file: `jobs/${name}.yaml` };
  if (n === 17) return { ...stalledReport(), ...base };
  if (n === 40) return { ...plannedReport(), ...base };
  if (n === 81) return { ...completeReport(), ...base };
  if (n % 25 === 3) return { ...canaryReport(), ...base };
  if (n % 25 === 8) return withoutNeeds({ ...underWayReport(), ...base });
  const quiet = withoutNeeds({
    ...completeReport(),
    ...base,
    phase: 'complete',
    conditions: conditions('complete'),
  });
  return quiet;
}

function withoutNeeds(report: JobReport): JobReport {
  return report.run === null ? report : { ...report, run: { ...report.run, needs: [] } };
}
