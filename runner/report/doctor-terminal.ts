import type { JsonObject } from '../ids.ts';
import type { Diagnosis } from './doctor-view.ts';
import { plain } from './escape.ts';
import { type Paint, painter } from './paint.ts';
import { many } from './text.ts';

/** `batchwright doctor`: part by part a line for each thing, under it what to do, at the end how many need it. */
export function doctorTerminal(found: readonly Diagnosis[], { color }: { readonly color: boolean }): string {
  const paint = painter(color);
  const sections = [...Map.groupBy(found, ({ part }) => part)].map(([part, own]) =>
    [paint.bold(plain(part)), ...own.flatMap((each) => linesOf(each, paint))].join('\n'),
  );
  return `${[...sections, summary(found, paint)].join('\n\n')}\n`;
}

function linesOf({ state, message, next }: Diagnosis, paint: Paint): string[] {
  const line = `  ${mark(state, paint)} ${plain(message, 400)}`;
  return next === null ? [line] : [line, `    \u2192 ${plain(next, 400)}`];
}

function mark(state: Diagnosis['state'], paint: Paint): string {
  switch (state) {
    case 'good':
      return paint.green('\u2713');
    case 'doubtful':
      return paint.yellow('!');
    case 'bad':
      return paint.red('\u2717');
    case 'skipped':
      return '-';
    default:
      return state satisfies never;
  }
}

function summary(found: readonly Diagnosis[], paint: Paint): string {
  const of = (state: Diagnosis['state']) => found.filter((each) => each.state === state).length;
  if (of('bad') > 0)
    return paint.red(`${many(of('bad'), 'thing')} must be mended before a pass can do its work.`);
  if (of('doubtful') > 0)
    return paint.yellow(`Nothing stands in the way; ${many(of('doubtful'), 'thing')} may need a look.`);
  return paint.green('Nothing stands in the way.');
}

/** What `doctor --json` prints. */
export function doctorJson(found: readonly Diagnosis[]): JsonObject {
  return {
    format: 'batchwright/doctor/v1',
    ok: found.every(({ state }) => state !== 'bad'),
    findings: found.map(({ part, state, message, next }) => ({ part, state, message, next })),
  };
}
