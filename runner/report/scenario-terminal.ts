import { plain } from './escape.ts';
import { painter } from './paint.ts';
import type { ScenarioView } from './scenario-view.ts';
import { knownSum } from './summary.ts';
import { jobLines, type TerminalOptions } from './terminal.ts';
import { duration, many, tokens, usd } from './text.ts';

/** One scenario as a person reads it: what was to happen, what did, how it ended, and what it would have cost. */
export function scenarioTerminal(view: ScenarioView, { color }: TerminalOptions): string {
  const paint = painter(color);
  const lines = [
    paint.bold(`Scenario ${plain(view.name)}`),
    ...(view.about === null ? [] : [plain(view.about)]),
    '',
    ...view.timeline.map(({ afterMs, level, text }) => {
      const line = `  ${duration(afterMs).padStart(WIDTH)}  ${plain(text)}`;
      return level === 'info' ? line : paint.yellow(line);
    }),
    '',
    ...jobLines(view.jobs, paint),
    `${view.ended ? 'Over' : paint.red('Not over')} after ${duration(view.tookMs)} by the emulator's clock. ${costLine(view)}`,
    chargeLine(view),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

/** `12 h 05 min` and the like. */
const WIDTH = 12;

function costLine({ jobs }: ScenarioView): string {
  const runs = jobs.flatMap(({ run }) => (run === null ? [] : [run]));
  const cost = knownSum(runs.map(({ money }) => money.settledUsd));
  return `The real work would have cost ${usd(cost)}; no model was asked.`;
}

/** The emulator keeps its own books: where they say more than ours, something was paid of which we were never told. */
function chargeLine({ charged }: ScenarioView): string {
  const untold = Math.max(
    0,
    charged.inputTokens + charged.outputTokens - charged.settledInputTokens - charged.settledOutputTokens,
  );
  const again =
    charged.again === 0
      ? 'none of them twice'
      : `${many(charged.again, 'of them was', 'of them were')} asked again after an answer that could not be used`;
  const missing =
    untold === 0 ? 'all of it stands in the books' : `${tokens(untold)} tokens of it were never told to us`;
  return `The emulator charged ${many(charged.requests, 'request')}, ${again}; ${missing}.`;
}
