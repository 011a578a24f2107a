import { epochMs, type Instant } from '../ids.ts';
import { type BatchState, isTerminal } from '../journal/batch.ts';
import { booksSum } from './books.ts';
import { columns, shortened } from './columns.ts';
import { painter } from './paint.ts';
import type { JobReport, RunReport } from './report.ts';
import { groupShards, type ShardGroup } from './shard-groups.ts';
import { isOpenShard, isUnderWay, sum, wasSent } from './summary.ts';
import { count, duration, many, percent, usd } from './text.ts';

export interface ProgressOptions {
  readonly color: boolean;
  /** Of the terminal, in characters. */
  readonly width: number;
  /**
   * The moment of looking: with it there are bars, ages and expected ends. Without it the lines are those of a log,
   * which change only when something has happened, and each says whose it is.
   */
  readonly now?: Instant;
}

/** Above these a screen is full: shards of one state share a line, and then jobs have one line each. */
const SHARD_LINES = 12;
const JOBS_WITH_SHARDS = 5;

/**
 * What `reconcile --watch` shows: for each run under way a head, a line for each live shard, one of books and one of
 * money. Pure.
 */
export function progressLines(reports: readonly JobReport[], options: ProgressOptions): string[] {
  const open = reports.filter(({ run }) => run !== null && isUnderWay(run));
  const detailed = open.length <= JOBS_WITH_SHARDS;
  return open.flatMap((report) => {
    if (report.run === null) return [];
    return options.now === undefined
      ? logLines(report, report.run)
      : screenLines(report, report.run, detailed, { ...options, now: options.now });
  });
}

/** For a log file: the lines that were not there at the last look. */
export function changedLines(previous: readonly string[], current: readonly string[]): string[] {
  const known = new Set(previous);
  return current.filter((line) => !known.has(line));
}

type Screen = ProgressOptions & { readonly now: Instant };

function screenLines(report: JobReport, run: RunReport, detailed: boolean, screen: Screen): string[] {
  const paint = painter(screen.color);
  const head = paint.bold(shortened(headText(report, run), screen.width));
  if (!detailed) return [head];
  const shards = columns(
    liveGroups(run).map((group) => shardCells(group, screen)),
    ['left', 'left', 'left', 'right', 'right'],
  ).map((line) => `  ${shortened(line, screen.width - 2)}`);
  const books = shortened(`  books  ${booksText(run)}`, screen.width);
  return [
    head,
    ...shards,
    run.books.balanced ? paint.dim(books) : paint.red(books),
    paint.dim(shortened(`  money  ${moneyText(run)}`, screen.width)),
  ];
}

/** Whole lines: a log is searched, and has no width. */
function logLines(report: JobReport, run: RunReport): string[] {
  const name = report.job;
  return [
    headText(report, run),
    ...liveGroups(run).map((group) => `${name}: ${shardText(group)}`),
    `${name}: books ${booksText(run)}`,
    `${name}: money ${moneyText(run)}`,
  ];
}

function headText(report: JobReport, run: RunReport): string {
  const shards = run.shards.filter(wasSent);
  const done = sum(shards.map((shard) => shard.done));
  const sent = sum(shards.map((shard) => shard.rows));
  const settled = shards.filter(({ state }) => state === 'settled').length;
  const parts = [
    `${report.job} run ${run.run}: ${report.phase}`,
    ...(sent === 0 ? [] : [`${count(done)} of ${count(sent)} sent rows answered (${percent(done, sent)})`]),
    ...(settled === 0 ? [] : [`${count(settled)} of ${many(shards.length, 'shard')} settled`]),
  ];
  return parts.join(' · ');
}

function liveGroups(run: RunReport): readonly ShardGroup[] {
  return groupShards(run.shards.filter(isOpenShard), SHARD_LINES);
}

function shardCells(group: ShardGroup, { now }: Screen): string[] {
  return [
    shardName(group),
    group.state,
    bar(group.done, group.rows),
    `${count(group.done)}/${count(group.rows)}`,
    ageText(group, now),
    endText(group, now),
  ];
}

function shardText(group: ShardGroup): string {
  return `${shardName(group)} ${group.state}, ${count(group.done)} of ${count(group.rows)} answered`;
}

function shardName({ shards, numbers, kind }: ShardGroup): string {
  const name = shards === 1 ? `shard ${numbers}` : `${count(shards)} shards`;
  return kind === 'first' ? name : `${name} ${kind}`;
}

const BAR = 12;

/** Full only when all is answered. */
function bar(done: number, of: number): string {
  const filled = of === 0 ? 0 : Math.floor((Math.min(done, of) / of) * BAR);
  return `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`;
}

function ageText({ createdAt }: ShardGroup, now: Instant): string {
  const age = createdAt === null ? -1 : epochMs(now) - epochMs(createdAt);
  // The provider's clock may be ahead of ours.
  return age < 0 ? '' : duration(age);
}

/** At the pace so far, but never after the provider's own end; without a pace only that end is known. */
function endText({ createdAt, expiresAt, done, rows, state }: ShardGroup, now: Instant): string {
  if (state !== 'submitting' && isTerminal(state as BatchState)) return 'ended, to be collected';
  const untilExpiry = expiresAt === null ? null : epochMs(expiresAt) - epochMs(now);
  const age = createdAt === null ? 0 : epochMs(now) - epochMs(createdAt);
  if (done === 0 || age <= 0) {
    return untilExpiry === null || untilExpiry <= 0 ? '' : `at most ${duration(untilExpiry)} left`;
  }
  const left = (age * (rows - done)) / done;
  if (left === 0) return 'ending';
  return `about ${duration(untilExpiry === null ? left : Math.max(0, Math.min(left, untilExpiry)))} left`;
}

function booksText({ books }: RunReport): string {
  const line = booksSum(books.items, books.dispositions);
  return books.balanced ? `${line} ✓` : `DO NOT BALANCE: ${line}`;
}

function moneyText({ money, emulator }: RunReport): string {
  const parts = [
    `settled ${usd(money.settledUsd)}`,
    ...(money.assumedUsd === 0 ? [] : [`assumed ${usd(money.assumedUsd)}`]),
    `reserved ${usd(money.reservedUsd)}`,
    `estimated ${usd(money.estimate.usd)}`,
    ...(money.perRunUsd === null ? [] : [`limit ${usd(money.perRunUsd)}`]),
  ];
  return emulator ? `${parts.join(' · ')} (emulator: not spend)` : parts.join(' · ');
}
