import { FILE_LIES, POLL_LIES, REFUSALS, SIZE_LIES } from '../fake/catalogue.ts';
import { DAY, HOUR, MINUTE } from '../fake/clock.ts';
import type { Lie } from '../fake/lies.ts';
import type { ProviderName } from '../fake/model.ts';
import type { Ending, Schedule } from './schedule.ts';

const NO_CANARY = 'canary: false\n';
/** From the end of a batch. */
const A_WHILE = { from: 0, until: 45 * MINUTE };
/** The third look at a batch is an hour after the first. */
const BY = 2 * HOUR;
/** Longer than any provider keeps results, and than the looks that follow. */
const FOR_EVER = 33;

const TOLD: Ending = { as: 'told' };

/** Each lie for 45 minutes after the end of the batch, then the truth: one create, every row applied within two hours. */
export function shortLies(provider: ProviderName): Schedule[] {
  return tellings(provider, A_WHILE, { until: HOUR }).map(([name, lie]) => ({
    name: `${name}, for a while`,
    provider,
    lies: [lie],
    days: 1,
    job: NO_CANARY,
    ends: BELIEVED[provider]?.[name] ?? { as: 'applied', creates: 1, by: BY },
    ...allowances(name),
  }));
}

/** Each lie for ever: nothing is bought twice, nothing is deleted unread, and what is not applied is told. */
export function endlessLies(provider: ProviderName): Schedule[] {
  const from = { from: 6 * MINUTE };
  return tellings(provider, { from: 0, until: Number.MAX_SAFE_INTEGER }, from).map(([name, lie]) => ({
    name: `${name}, for ever`,
    provider,
    lies: [lie],
    days: provider === 'gemini' ? 5 : FOR_EVER,
    job: NO_CANARY,
    ends: TOLD,
    ...allowances(name),
  }));
}

/** What a few lies come to that no reader can tell from the truth. */
const BELIEVED: Readonly<Partial<Record<ProviderName, Readonly<Record<string, Ending>>>>> = {
  openai: { 'download: a twin that differs': TOLD },
  // No length is listed and all lines are whole: the one row goes again, once, and the books name it.
  anthropic: {
    'download: the last line is missing': { as: 'applied', creates: 2 },
    'download: the last line is missing, in chunks': { as: 'applied', creates: 2 },
    'download: a twin that differs': TOLD,
  },
  gemini: { 'download: a twin that differs': TOLD },
};

function allowances(name: string): Partial<Schedule> {
  const isProse = name.startsWith('download: all contents are prose');
  return isProse ? { blind: true, rebuys: ['invalid_output'] } : {};
}

function tellings(
  provider: ProviderName,
  afterEnd: { from: number; until: number },
  scope: Pick<Lie, 'from' | 'until'>,
): [string, Lie][] {
  const onFile = provider === 'anthropic' ? [] : named({ ...REFUSALS, ...SIZE_LIES });
  return [
    ...named({ ...REFUSALS, ...FILE_LIES }).map(([name, what]): [string, Lie] => [
      `download: ${name}`,
      { on: 'download', what, afterEnd },
    ]),
    ...named({ ...REFUSALS, ...POLL_LIES }).map(([name, what]): [string, Lie] => [
      `poll: ${name}`,
      { on: 'poll', what, ...scope },
    ]),
    ...onFile.map(([name, what]): [string, Lie] => [`file: ${name}`, { on: 'file', what, ...scope }]),
  ];
}

/** Two lies at once, lies that change, a gateway that flaps, canaries, shards, and every end of a batch. */
export function mixedLies(provider: ProviderName): Schedule[] {
  const { html, reset, empty, jsonError } = PAGES;
  const once = { as: 'applied', creates: 1, by: BY } as const;
  // Six rows in shards of two. Anthropic's batches bear no tag, so that no two under way may have as many rows.
  const shards = provider === 'anthropic' ? 4 : 3;
  const mixes: (Omit<Schedule, 'provider' | 'days' | 'job'> & Partial<Schedule>)[] = [
    {
      name: 'pages at poll and download',
      lies: [
        { on: 'poll', what: html, until: 20 * MINUTE },
        { on: 'download', what: jsonError, afterEnd: A_WHILE },
      ],
      ends: once,
    },
    {
      name: 'an HTML page that becomes a JSON error, then an empty body',
      lies: [
        { on: 'download', what: html, afterEnd: { from: 0, until: 10 * MINUTE } },
        { on: 'download', what: jsonError, afterEnd: { from: 10 * MINUTE, until: 22 * MINUTE } },
        { on: 'download', what: empty, afterEnd: { from: 22 * MINUTE, until: 45 * MINUTE } },
      ],
      ends: once,
    },
    {
      name: 'a missing line while the counts are null',
      lies: [
        { on: 'poll', what: POLL_LIES['counts are null'], until: HOUR },
        { on: 'download', what: { kind: 'missing_lines', count: 2 }, afterEnd: A_WHILE },
      ],
      ends: once,
    },
    {
      name: 'half of the lines, and counts that agree with that',
      lies: [
        { on: 'poll', what: POLL_LIES['counts are lower than the lines'], until: HOUR },
        { on: 'download', what: { kind: 'missing_lines', count: 3 }, afterEnd: A_WHILE },
      ],
      ends: once,
    },
    {
      name: 'renamed ids and a size of zero',
      lies: [
        { on: 'file', what: SIZE_LIES['the size is zero'], until: HOUR },
        { on: 'download', what: FILE_LIES['ids are renamed'], afterEnd: A_WHILE },
      ],
      ends: once,
    },
    {
      name: 'a gateway that flaps at everything',
      lies: [0, 12, 24, 36, 48].flatMap((minute): Lie[] => {
        const scope = { from: minute * MINUTE + 1, until: (minute + 7) * MINUTE };
        return [
          { on: 'poll', what: reset, ...scope },
          { on: 'list', what: html, ...scope },
          { on: 'download', what: minute % 24 === 0 ? html : empty, ...scope },
          { on: 'delete', what: reset, ...scope },
        ];
      }),
      ends: once,
    },
    {
      name: 'deletions that are only pretended',
      lies: [{ on: 'delete', what: { kind: 'ignored' } }],
      ends: once,
    },
    {
      name: 'canary on, and its results are a page for a while',
      job: 'canary: { items: 2 }\n',
      lies: [{ on: 'download', what: html, batch: 1, afterEnd: A_WHILE }],
      ends: { as: 'applied', creates: 2, by: 3 * HOUR },
    },
    {
      name: 'canary on, the results of the rest have null ids for a while',
      job: 'canary: { items: 2 }\n',
      lies: [{ on: 'download', what: { kind: 'null_ids' }, batch: 2, afterEnd: A_WHILE }],
      ends: { as: 'applied', creates: 2, by: 3 * HOUR },
    },
    {
      name: 'three shards, the second is unreadable for a while',
      job: `${NO_CANARY}shard: { max_items: 2 }\n`,
      lies: [{ on: 'download', what: empty, batch: 2, afterEnd: A_WHILE }],
      ends: { as: 'applied', creates: shards, by: BY },
    },
    {
      name: 'three shards, and each is answered with the file of another',
      job: `${NO_CANARY}shard: { max_items: 2 }\n`,
      lies: [{ on: 'download', what: { kind: 'foreign_lines' }, afterEnd: A_WHILE }],
      ends: { as: 'applied', creates: shards, by: BY },
    },
    {
      name: 'three shards, for ever a page at the third',
      job: `${NO_CANARY}shard: { max_items: 2 }\n`,
      lies: [{ on: 'download', what: html, batch: 3 }],
      days: provider === 'gemini' ? 5 : FOR_EVER,
      ends: TOLD,
    },
    {
      name: 'rows that fail at the model, while the results are a page',
      lies: [
        { on: 'row', what: { kind: 'row_error', error: 'server' }, times: 2 },
        { on: 'download', what: html, batch: 1, afterEnd: A_WHILE },
      ],
      ends: { as: 'applied', creates: 2, by: 4 * HOUR },
    },
    {
      name: 'a real account',
      real: true,
      lies: [{ on: 'download', what: { kind: 'null_ids' }, afterEnd: A_WHILE }],
      ends: once,
    },
    ...endings(provider),
  ];
  return mixes.map((mix) => ({ days: 3, job: NO_CANARY, provider, ...mix }));
}

const PAGES = {
  html: REFUSALS['an HTML page with status 200'],
  jsonError: REFUSALS['a JSON error with status 200'],
  empty: REFUSALS['an empty body'],
  reset: REFUSALS['a reset'],
};

/** A first batch that does not complete, and results that lie about it for a while. */
function endings(provider: ProviderName): (Omit<Schedule, 'provider' | 'days'> & Partial<Schedule>)[] {
  const lies: [string, Lie][] = [
    ['the truth', { on: 'download', what: PAGES.html, times: 0 }],
    ['a page', { on: 'download', what: PAGES.html, batch: 1, afterEnd: A_WHILE }],
    ['null ids', { on: 'download', what: { kind: 'null_ids' }, batch: 1, afterEnd: A_WHILE }],
    ['counts of zero', { on: 'poll', what: POLL_LIES['counts are zero'], batch: 1, afterEnd: A_WHILE }],
    ['counts of null', { on: 'poll', what: POLL_LIES['counts are null'], batch: 1, afterEnd: A_WHILE }],
    ['no result files', { on: 'poll', what: { kind: 'no_results' }, batch: 1, afterEnd: A_WHILE }],
  ];
  const ends = {
    expired: { as: 'expired', ran: 4 },
    failed: { as: 'failed', code: 'token_limit_exceeded', message: 'Enqueued token limit reached.' },
    cancelled: { as: 'cancelled', ran: 3 },
  } as const;
  return Object.entries(ends).flatMap(([end, of]) =>
    lies.map(([name, lie]) => ({
      name: `the first batch is ${end}, and tells ${name}`,
      lies: [lie],
      planFor: (nth: number) =>
        nth === 1 ? { end: of, windowMs: provider === 'gemini' ? 2 * DAY : HOUR } : undefined,
      days: 6,
      ends: COME_TO[provider][of.as],
    })),
  );
}

/**
 * What a first batch of six rows comes to, whatever was told of it for a while. Of four answers in an expired batch four
 * are kept and two are bought, but at Gemini, where an expired batch has none; there the next two batches are halves. Three
 * rows of a batch that somebody has cancelled wait for a person. A queue without room takes halves at OpenAI; the words are
 * no reason that the two others know, and those wait for a person.
 */
const COME_TO: Readonly<Record<ProviderName, Readonly<Record<'expired' | 'failed' | 'cancelled', Ending>>>> =
  {
    openai: {
      expired: { as: 'applied', creates: 2, first: 4 },
      failed: { as: 'applied', creates: 3 },
      cancelled: { as: 'told', creates: 1, first: 3, left: { waiting: 3 } },
    },
    anthropic: {
      expired: { as: 'applied', creates: 2, first: 4 },
      failed: { as: 'told', creates: 1, left: { failed: 6 } },
      cancelled: { as: 'told', creates: 1, first: 3, left: { waiting: 3 } },
    },
    gemini: {
      expired: { as: 'applied', creates: 3 },
      failed: { as: 'told', creates: 1, left: { waiting: 6 } },
      cancelled: { as: 'told', creates: 1, first: 3, left: { waiting: 3 } },
    },
  };

function named<Value>(of: Readonly<Record<string, Value>>): [string, Value][] {
  return Object.entries(of);
}
