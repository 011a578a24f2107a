import { epochMs, type Instant, later } from '../ids.ts';
import { joined, type Markdown, md } from './escape.ts';
import { shardErrors, shardTable } from './markdown-shards.ts';
import type { JobReport, RunReport, RunTimes, ShardReport } from './report.ts';
import { isOpenShard, isUnderWay, openRows, sum, usualMs, wasSent } from './summary.ts';
import { clockTime, count, dateTime, dayTime, duration, type Figure, many, percent } from './text.ts';

/** How long it took, or how far it is and when it may end; shard by shard. */
export function timeSection(report: JobReport, run: RunReport): Markdown {
  const open = isUnderWay(run);
  const parts = [
    open ? progress(run) : null,
    open ? ends(report, run) : null,
    timeline(run.time),
    shardTable(run.shards),
    shardErrors(run.shards),
  ];
  const shown = parts.filter((part) => part !== null);
  return md`## ${(open ? 'Under way' : 'Time') as Figure}\n\n${joined(shown, '\n\n')}`;
}

/** `45,210 of 90,000 rows sent are answered (50.2 %) · 3 of 5 shards settled` */
function progress({ shards, books }: RunReport): Markdown {
  const sent = shards.filter(wasSent);
  if (sent.length === 0) {
    return openRows(books.dispositions) === 0 ? md`Nothing had to be sent.` : md`Nothing is sent yet.`;
  }
  const rows = sum(sent.map((shard) => shard.rows));
  const done = sum(sent.map((shard) => shard.done));
  const settled = sent.filter(({ state }) => state === 'settled').length;
  const answered = md`**${count(done)} of ${count(rows)} rows sent are answered (${percent(done, rows)})**`;
  return md`${answered} · ${count(settled)} of ${many(sent.length, 'shard')} settled`;
}

/** From earlier runs, from the provider's own window, and from the job's deadline. */
function ends({ history }: JobReport, { shards, time }: RunReport): Markdown {
  const usual = usualMs(history);
  const latest = lastEnd(shards);
  const parts = [
    ...(usual === null
      ? []
      : [
          md`expected end ${dateTime(later(time.frozenAt, usual))}, if it takes the usual ${duration(usual)}`,
        ]),
    ...(latest === null ? [] : [md`the last batch ends by ${dateTime(latest)}`]),
    md`deadline ${dateTime(time.deadlineAt)} (all UTC)`,
  ];
  return joined(parts, ' · ');
}

function lastEnd(shards: readonly ShardReport[]): Instant | null {
  const ends = shards.filter(isOpenShard).flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt]));
  return ends.sort().at(-1) ?? null;
}

function timeline(time: RunTimes): Markdown {
  const at = stepTime(time);
  const steps = [
    md`frozen ${dateTime(time.frozenAt)} (${dayTime(time.frozenAt)}, UTC)`,
    ...(time.canarySentAt === null ? [] : [md`canary sent ${at(time.canarySentAt)}`]),
    ...(time.canaryDoneAt === null ? [] : [md`canary back ${at(time.canaryDoneAt)}`]),
    ...(time.sentAt === null ? [] : [md`sent ${at(time.sentAt)}`]),
    ...(time.appliedAt === null ? [] : [md`applied ${at(time.appliedAt)} (${took(time, time.appliedAt)})`]),
  ];
  return joined(steps, ' → ');
}

const HOUR = 3_600_000;

/** Beside one full date: seconds for what took minutes, weekdays within six days, else each date in full. */
function stepTime(time: RunTimes): (at: Instant) => Figure {
  const known = [time.canaryDoneAt, time.sentAt, time.lastSettledAt, time.appliedAt];
  const span = Math.max(...known.map((at) => (at === null ? 0 : epochMs(at) - epochMs(time.frozenAt))));
  if (span < HOUR) return clockTime;
  return span < 6 * 24 * HOUR ? dayTime : dateTime;
}

function took(time: RunTimes, until: Instant): Figure {
  return duration(epochMs(until) - epochMs(time.frozenAt));
}
