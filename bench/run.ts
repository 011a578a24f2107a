import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Contestant, contestantsFor, runOnce, WORK } from './contest.ts';
import type { Result } from './contestant.ts';
import type { Rounds } from './figures.ts';
import { readOptions, USAGE } from './options.ts';
import { resultMarkdown, writeReadme } from './report.ts';
import { writeRows } from './rows.ts';

/** The benchmark: `npm run bench`. What it measures and how stands in README.md beside it. */
const options = readOptions(process.argv.slice(2));
if (options === 'help') {
  process.stdout.write(USAGE);
} else {
  const sizes: Rounds[] = [];
  try {
    for (const rows of options.rows) sizes.push(await roundsOf(rows, options.pairs));
  } finally {
    rmSync(WORK, { recursive: true, force: true });
  }
  const section = resultMarkdown(sizes, new Date());
  process.stdout.write(`\n${section}\n`);
  if (options.write) writeReadme(section);
}

async function roundsOf(rows: number, pairs: number): Promise<Rounds> {
  mkdirSync(WORK, { recursive: true });
  const rowsFile = join(WORK, `rows-${rows}.jsonl`);
  say(`${rows} rows of ${Math.round(writeRows(rowsFile, rows) / rows)} bytes`);
  const contestants = contestantsFor(rows);
  if (!contestants.includes('peer')) say(whyNoPeer(rows));
  const rounds: Partial<Record<Contestant, Result>>[] = [];
  for (let round = 0; round < pairs; round += 1) {
    rounds.push(await oneRound(round, contestants, rowsFile, rows));
  }
  rmSync(rowsFile);
  return { rows, rounds };
}

/** One after the other, each second round backwards: a machine that grows slower must not favour whoever is first. */
async function oneRound(
  round: number,
  contestants: readonly Contestant[],
  rowsFile: string,
  rows: number,
): Promise<Partial<Record<Contestant, Result>>> {
  const results: Partial<Record<Contestant, Result>> = {};
  for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
    const result = await runOnce(contestant, rowsFile, rows);
    results[contestant] = result;
    say(`  ${contestant.padEnd(12)} ${JSON.stringify(result)}`);
  }
  return Object.fromEntries(contestants.map((each) => [each, results[each]]));
}

function whyNoPeer(rows: number): string {
  return rows > 100_000
    ? 'the AI SDK is left out: it holds all rows in memory'
    : 'the AI SDK is left out: to have it measured, run `npm ci --prefix bench`';
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
