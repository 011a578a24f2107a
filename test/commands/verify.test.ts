import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runVerify } from '../../runner/commands/verify.ts';
import { openDuck, sqlText } from '../../runner/duck.ts';
import type { UserError } from '../../runner/errors.ts';
import { digestOf } from '../../runner/ids.ts';
import { segmentName } from '../../runner/journal/segment.ts';
import { snapshotName } from '../../runner/journal/snapshot.ts';
import type { CheckState } from '../../runner/report/verify-view.ts';
import { askApproval, PRICES } from '../support/asks.ts';
import { copiesOf, documentOf, printed, storedFile } from '../support/reading.ts';
import { lines, repository, TICKETS, type World, world } from '../support/world.ts';

interface Verified {
  readonly format: string;
  readonly ok: boolean;
  readonly counts: Readonly<Record<CheckState, number>>;
  readonly checks: readonly {
    readonly check: string;
    readonly subject: string;
    readonly state: CheckState;
    readonly message: string;
    readonly details: readonly string[];
    readonly next: string | null;
  }[];
}

async function verified(root: string) {
  const { code, document } = await documentOf<Verified>(root, (common) => runVerify({ ...common, jobs: [] }));
  const named = document.checks.filter(({ state }) => state !== 'proved');
  return {
    code,
    document,
    /** `check subject: state: message | details`, of all that was not proved. */
    named: named.map(
      ({ check, subject, state, message, details }) =>
        `${`${check} ${subject}`.trim()}: ${state}: ${[message, ...details].join(' | ')}`,
    ),
    proved: document.checks.filter(({ state }) => state === 'proved').map(({ check }) => check),
  };
}

/** Two runs: in the first retries and a row set aside, in the second reuse, a new row, and one that is gone and kept in the sink. */
const copy = copiesOf(async () => {
  const rows = [...TICKETS, { id: 'T-twin', text: TICKETS[0]?.text }, { text: 'nobody asked' }];
  const job = 'shard: { max_items: 5 }\n';
  const files = repository(job, rows);
  const setAside = files['jobs/tickets.yaml']?.replace('key: id }', 'key: id, on_bad_row: set_aside }') ?? '';
  const w = await world(
    {
      ...files,
      'jobs/tickets.yaml': setAside,
      'batchwright.yaml': `${files['batchwright.yaml']}${PRICES}`,
    },
    { rules: [{ on: 'line', batch: 1, line: [2, 4], do: { status: 500 } }] },
  );
  await w.finish();
  const next = [...rows.slice(1), { id: 'T-new', text: 'The bell is mute' }];
  await w.write({ 'data/tickets.jsonl': lines(next) });
  await askApproval(w);
  await w.finish();
  return w;
});

const ALL = [
  'journal',
  'snapshots',
  'reports',
  'files',
  'run',
  'run',
  'bought-once',
  'sink',
  'applied-once',
  'batches',
  'remote-files',
];

describe('verify', () => {
  it('proves a job with retries, reuse, kept rows and two runs', async () => {
    const { code, document, proved } = await verified(await copy());
    expect(document).toMatchObject({ format: 'batchwright/verification/v1', ok: true });
    expect({ code, proved }).toEqual({ code: 0, proved: ALL });
  });

  it('prints a line for each check', async () => {
    const { text } = await printed(await copy(), (common) => runVerify({ ...common, jobs: ['tickets'] }));
    expect(text).toContain('✓ journal');
    expect(text).toContain('tickets\n✓ files');
    expect(text).toMatch(/✓ run 1 +10 manifest = /);
    expect(text).toMatch(/✓ applied-once parquet:out\/tickets.parquet +10 answers, each of them once/);
    expect(text).toContain('11 checks, 11 proved');
  });

  it('has nothing to say of a repository without state', async () => {
    const root = await copy();
    await rm(join(root, 'state'), { recursive: true });
    expect(await verified(root)).toMatchObject({ code: 0, proved: ['journal', 'reports'] });
  });

  it('knows no other job', async () => {
    const root = await copy();
    const error = await printed(root, (common) => runVerify({ ...common, jobs: ['ticket'] })).catch(
      (thrown: unknown) => thrown,
    );
    expect((error as UserError).findings[0]?.code).toBe('unknown-job');
  });
});

/** Turns one bit in the middle of a file. */
async function flip(path: string): Promise<void> {
  const bytes = await readFile(path);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

const segment = (root: string, seq: number) => join(root, 'state', segmentName(seq));
const sink = (root: string) => join(root, 'out/tickets.parquet');

async function lastSegment(root: string): Promise<number> {
  const { journal } = JSON.parse(await readFile(join(root, 'state/tickets/status.json'), 'utf8'));
  return journal.seq as number;
}

/** How many segments there are is none of these cases' business: a snapshot may be of the very last one. */
async function lastWithoutSnapshot(root: string): Promise<number> {
  const seq = await lastSegment(root);
  await rm(join(root, 'state', snapshotName(seq)), { force: true });
  return seq;
}

async function firstSnapshot(root: string): Promise<string> {
  const names = (await readdir(join(root, 'state/journal'))).filter((name) => name.startsWith('snapshot-'));
  return join(root, 'state/journal', names.sort()[0] as string);
}

async function rewrite(path: string, select: (file: string) => string): Promise<void> {
  const duck = await openDuck();
  await duck.run(`CREATE TABLE t AS ${select(`read_parquet(${sqlText(path)})`)}`);
  await duck.run(`COPY t TO ${sqlText(path)} (FORMAT parquet)`);
  duck.close();
}

interface Damage {
  readonly what: string;
  readonly hurt: (root: string) => Promise<void>;
  readonly code: number;
  /** One pattern for each check that is not proved, in order. */
  readonly named: readonly RegExp[];
  /** More may be named: what the journal no longer tells cannot be proved. */
  readonly more?: true;
}

const damages: readonly Damage[] = [
  {
    what: 'a bit of an outcomes file',
    hurt: async (root) => flip(await storedFile(root, 'tickets/runs/1', 'outcomes')),
    code: 5,
    named: [/^files: wrong: 0 of \d+ files missing, 1 changed \| tickets\/runs\/1\/outcomes-.* other bytes/],
    more: true,
  },
  {
    what: 'a bit of a raw file',
    hurt: async (root) => flip(await storedFile(root, 'tickets/runs/2', 'raw-output')),
    code: 5,
    named: [/^files: wrong: .* \| tickets\/runs\/2\/raw-output-/],
  },
  {
    what: 'the end of a recipe',
    hurt: async (root) => appendFile(await storedFile(root, 'tickets/runs/1', 'recipe'), ' '),
    code: 5,
    named: [/^files: wrong: .*recipe-.* has \d+ bytes instead of \d+/],
  },
  {
    what: 'a manifest part that is gone',
    hurt: async (root) => rm(await storedFile(root, 'tickets/runs/1', 'manifest')),
    code: 4,
    named: [
      /^files: lost: 1 of \d+ files missing, 0 changed \| tickets\/runs\/1\/manifest-.* is missing/,
      /^run run 1: wrong: its books cannot be worked out \| run 1: its manifest .* is missing: the store has no tickets\/runs\/1\/manifest-/,
      /^run run 2: wrong: its books cannot/,
      /^applied-once .*: wrong: its rows cannot be compared/,
    ],
  },
  {
    what: 'a row that is gone from an outcomes file',
    hurt: async (root) =>
      rewrite(
        await storedFile(root, 'tickets/runs/2', 'outcomes'),
        (file) => `SELECT * FROM ${file} LIMIT 0`,
      ),
    code: 5,
    named: [
      /^files: wrong/,
      /^run run 2: wrong: .* \| shard 1: rows in its outcomes file: 0 instead of 1 \|.* attempts with an outcome in the ledger: 0/,
      /^applied-once .*: wrong: /,
    ],
  },
  {
    what: 'a sink that is gone',
    hurt: (root) => rm(sink(root)),
    code: 5,
    named: [/^sink parquet:.*: wrong: the file is missing$/],
  },
  {
    what: 'a sink with a row twice',
    hurt: (root) =>
      rewrite(
        sink(root),
        (file) => `SELECT * FROM ${file} UNION ALL (SELECT * FROM ${file} ORDER BY id LIMIT 1)`,
      ),
    code: 5,
    named: [
      /^sink parquet:.*: wrong: the file is not the one that was written/,
      /^applied-once .*: wrong: 11 rows instead of 10: 0 missing, 1 too many \| tickets:row:T-a:/,
    ],
  },
  {
    what: 'a sink with another answer in a row',
    hurt: (root) => rewrite(sink(root), (file) => `SELECT * REPLACE (NOT sure AS sure) FROM ${file}`),
    code: 5,
    named: [/^sink parquet:.*: wrong: the file is not the one that was written/],
  },
  {
    what: 'a snapshot that says something else than its segments',
    hurt: async (root) => {
      const path = await firstSnapshot(root);
      const { state, ...rest } = JSON.parse(await readFile(path, 'utf8'));
      const other = { ...state, jobs: {} };
      const digest = digestOf(JSON.stringify(other));
      await writeFile(path, JSON.stringify({ ...rest, digest, state: other }));
    },
    code: 5,
    named: [/^snapshots: wrong: .* \| journal\/snapshot-\d{8}\.json: the segments fold to something else$/],
  },
  {
    what: 'a bit of a snapshot',
    hurt: async (root) => flip(await firstSnapshot(root)),
    code: 5,
    named: [/^snapshots: wrong: .* \| journal\/snapshot-\d{8}\.json: it is not/],
  },
  {
    what: 'a journal without its end',
    hurt: async (root) => rm(segment(root, await lastWithoutSnapshot(root))),
    code: 4,
    named: [/^reports: lost: .*status\.json was written from journal/],
    more: true,
  },
  {
    what: 'a journal without a segment in the middle',
    hurt: (root) => rm(segment(root, 3)),
    code: 4,
    named: [/^journal: lost: the chain is broken.* \| journal\/00000003\.jsonl is missing$/],
    more: true,
  },
  {
    what: 'a segment that is cut',
    hurt: async (root) => writeFile(segment(root, 4), (await readFile(segment(root, 4))).subarray(0, -20)),
    code: 4,
    named: [/^journal: lost: .* \| The journal is damaged at journal\/00000004\.jsonl: its last line is cut/],
    more: true,
  },
  {
    what: 'another word in a segment',
    hurt: async (root) => {
      const text = await readFile(segment(root, 2), 'utf8');
      await writeFile(
        segment(root, 2),
        text.replace('"reason"', '"treason"').replace('"writer"', '"waiter"'),
      );
    },
    code: 4,
    named: [/^journal: lost: .* \| journal\/00000003\.jsonl does not continue journal\/00000002\.jsonl/],
    more: true,
  },
  {
    what: 'another word in the last segment',
    hurt: async (root) => {
      const path = segment(root, await lastWithoutSnapshot(root));
      await writeFile(path, (await readFile(path, 'utf8')).replace('"writer"', '"waiter"'));
    },
    code: 4,
    named: [/^reports: lost: .* segment \d+ is another one/],
  },
  {
    what: 'a journal that is gone',
    hurt: (root) => rm(join(root, 'state/journal'), { recursive: true }),
    code: 4,
    named: [/^reports: lost: .* the store has no journal at all/],
  },
];

describe('verify names', () => {
  it.each(damages)('$what', async ({ hurt, code, named, more }) => {
    const root = await copy();
    await hurt(root);
    const found = await verified(root);
    const told = more ? found.named.slice(0, named.length) : found.named;
    expect(told).toEqual(named.map((pattern) => expect.stringMatching(pattern)));
    expect(found.code).toBe(code);
    expect(found.document.checks.every(({ state, next }) => state === 'proved' || next !== null)).toBe(true);
  });

  it('a sink that the job wants otherwise than it was written, and calls that open', async () => {
    const root = await copy();
    await appendFile(
      join(root, 'jobs/tickets.yaml'),
      'sinks: [ { kind: parquet, path: out/tickets.parquet, on_removed: delete } ]\n',
    );
    expect(await verified(root)).toMatchObject({
      code: 0,
      named: [expect.stringMatching(/^applied-once .*: open: the job has been edited since/)],
    });
  });

  it('nothing else where a single file is damaged', async () => {
    const root = await copy();
    await flip(await storedFile(root, 'tickets/runs/1', 'raw-output'));
    expect((await verified(root)).proved).toEqual(ALL.filter((check) => check !== 'files'));
  });
});

describe('verify while a run is under way', () => {
  const openChecks = async (w: World) => {
    await w.restart();
    const { code, named } = await verified(w.root);
    return { code, named };
  };

  it('names open batches and since when, and finds nothing wrong', async () => {
    const w = await world(repository('shard: { max_items: 4 }\n'));
    await w.pass();
    const { code, named } = await openChecks(w);
    expect(code).toBe(0);
    expect(named).toEqual([
      'sink parquet:out/tickets.parquet: open: nothing has been written to it yet',
      expect.stringMatching(
        /^batches: open: 2 of 2 announcements open, the oldest since 20\S+Z \| run 1 shard 1, 4 rows, announced \S+ as \w{16}: batch batch_\w+ is \w+ \| run 1 shard 2/,
      ),
    ]);
  });

  it('names an announcement without a receipt', async () => {
    const w = await world(repository(), { rules: [{ on: 'create', nth: 1, do: { reset: true } }] });
    await w.pass();
    const { code, named } = await openChecks(w);
    expect(code).toBe(0);
    expect(named.at(-1)).toMatch(
      /it is not known whether the provider has them \| .*: no receipt; must not be/,
    );
  });

  it('names files that the provider still has', async () => {
    const w = await world();
    while (Object.keys((await w.report()).run?.sinks ?? {}).length === 0) {
      await w.pass();
      w.emulator.clock.advance(60_000);
    }
    const { code, named } = await openChecks(w);
    expect(code).toBe(0);
    expect(named).toEqual([
      expect.stringMatching(
        /^remote-files: open: 2 files of 1 ended batch not yet deleted .*file-\w+, file-/,
      ),
    ]);
  });

  it('judges a sink by the answers that its proof speaks of', async () => {
    const w = await world(repository('shard: { max_items: 4 }\n'), {
      rules: [{ on: 'create', nth: [2, 4], do: { stuck: 'in_progress' } }],
    });
    const settle = async (batches: number) => {
      const isSettled = async () =>
        Object.values((await w.journal()).intents).filter(({ settled }) => settled !== null).length >=
        batches;
      while (!(await isSettled())) {
        await w.pass();
        w.emulator.clock.advance(60_000);
      }
    };
    await settle(1);
    const early = await openChecks(w);
    expect(early.named.map((each) => each.split(':')[0])).toEqual(['batches', 'remote-files']);
    // Answers of the second run wait until it is whole: the sink is still that of the first.
    await w.write({ 'prompts/tickets/user.hbs': 'Label it: {{text}}\n' });
    await settle(2);
    const later = await openChecks(w);
    expect(later.code).toBe(0);
    expect(later.named.map((each) => each.split(':')[0])).toEqual(['batches', 'remote-files']);
  });
});
