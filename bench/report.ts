import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Figures, figuresOf, median, type Rounds } from './figures.ts';

const NAMES = {
  bare: 'bare loop',
  batchwright: 'Batchwright',
  peer: 'AI SDK',
} as const;

/** The section of the README that a run of the benchmark writes: the machine, a table and the phases a size. */
export function resultMarkdown(sizes: readonly Rounds[], now: Date): string {
  return [`${machine()}, ${now.toISOString().slice(0, 10)}.`, ...sizes.flatMap(sizeMarkdown)].join('\n\n');
}

function machine(): string {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${first?.model ?? 'unknown'}), ${memory} GB of memory, Node ${process.versions.node}, ${process.platform}`;
}

function sizeMarkdown(size: Rounds): string[] {
  const figures = figuresOf(size);
  const own = figures.find(({ contestant }) => contestant === 'batchwright');
  return [
    `### ${whole(size.rows)} rows, ${size.rounds.length === 1 ? 'one round' : `medians of ${size.rounds.length} rounds`}`,
    table(figures),
    ...(own === undefined ? [] : [phases(own, size.rows), ...looks(own)]),
  ];
}

function table(figures: readonly Figures[]): string {
  const rows = figures.map((each) =>
    line([
      NAMES[each.contestant],
      whole(each.rowsPerSecond),
      `${whole(each.peakMb)} MB`,
      each.cpuMicrosPerRow.toFixed(0),
      median(each.ratios).toFixed(2),
      each.ratios.map((ratio) => ratio.toFixed(2)).join(' '),
    ]),
  );
  const head = ['', 'rows/s', 'peak memory', 'CPU µs/row', 'beside bare', 'each round'];
  return [line(head), line(['---', '--:', '--:', '--:', '--:', '---']), ...rows].join('\n');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** In rows per second of that phase alone, where rows are what it works on. */
function phases({ phases: spent }: Figures, rows: number): string {
  const parts = Object.entries(spent)
    .filter(([, ms]) => ms >= 1)
    .map(([name, ms]) => `${name} ${(ms / 1000).toFixed(2)} s (${whole((rows / ms) * 1000)} rows/s)`);
  return `Batchwright by phase: ${parts.join(', ')}.`;
}

function looks({ looks: taken }: Figures): string[] {
  if (taken === null) return [];
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return [
    `A look at the finished job: \`plan\` ${seconds(taken.planMs)}, \`status\` ${seconds(taken.statusMs)}, \`report\` ${seconds(taken.reportMs)}; its ledger has ${taken.ledgerMb} MB.`,
  ];
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

const README = join(import.meta.dirname, 'README.md');
const BEGIN = '<!-- results: written by bench/run.ts -->';
const END = '<!-- end of results -->';

/** Puts the section between its marks. */
export function writeReadme(section: string): void {
  const text = readFileSync(README, 'utf8');
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END);
  if (from < 0 || to < from) throw new Error('bench/README.md has lost the marks around its results');
  writeFileSync(README, `${text.slice(0, from + BEGIN.length)}\n\n${section}\n\n${text.slice(to)}`);
}
