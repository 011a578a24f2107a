import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly rows: readonly number[];
  /** How often each contestant runs, for each number of rows. */
  readonly pairs: number;
  /** Write the figures into the README. */
  readonly write: boolean;
}

export const USAGE = `npm run bench -- [--rows 10000,100000] [--pairs 5] [--no-write]

  --rows      how many rows, several with commas (default 10000,100000; 1000000 takes minutes and 4 GB of disk)
  --pairs     how often each contestant runs; figures are medians (default 5)
  --no-write  print only; leave bench/README.md as it is
`;

/** @throws RangeError with words for a person where an option cannot be used. */
export function readOptions(argv: readonly string[]): BenchOptions | 'help' {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      rows: { type: 'string', default: '10000,100000' },
      pairs: { type: 'string', default: '5' },
      'no-write': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    rows: values.rows.split(',').map((text) => wholeNumber('--rows', text)),
    pairs: wholeNumber('--pairs', values.pairs),
    write: !values['no-write'],
  };
}

function wholeNumber(option: string, text: string): number {
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text);
  throw new RangeError(`${option} takes whole numbers such as 10000, not ${JSON.stringify(text)}`);
}
