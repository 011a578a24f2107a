import type {
  AskFault,
  BatchFault,
  CallFault,
  CallMatch,
  CallName,
  DownloadFault,
  LineFault,
  LineMatch,
  ListFault,
  Rule,
} from './scenario.ts';
import { shareOf } from './seed.ts';

/** Every field is optional and only those of the operation can be there: `checkScenario` saw to it. */
export type AnyCallFault = CallFault & BatchFault & ListFault & DownloadFault & AskFault;

export interface CallFacts {
  readonly on: CallName;
  /** How often this operation was asked for, this time included. */
  readonly nth: number;
  /** The batch that the call is about, by order of creation from 1; null where it is about none. */
  readonly batch: number | null;
}

export interface LineFacts {
  readonly customId: string;
  /** 1-based, in the input file. */
  readonly line: number;
  readonly bodyHash: string;
  readonly batch: number;
}

export interface FaultPlan {
  forCall(facts: CallFacts): AnyCallFault | null;
  forLine(facts: LineFacts): LineFault | null;
}

/** Which fault a call or a line meets: the first rule that matches. Same seed and facts, same fault. */
export function planFaults(rules: readonly Rule[], seed: string): FaultPlan {
  const calls: CallRule[] = [];
  const lines: LineRule[] = [];
  rules.forEach((rule, at) => {
    const salt = `${seed} ${at}`;
    if (rule.on === 'line') lines.push({ match: rule, fault: rule.do, salt, customId: patternOf(rule) });
    else calls.push({ on: rule.on, match: rule, fault: rule.do, salt });
  });
  return {
    forCall: (facts) => calls.find((rule) => callMatches(rule, facts))?.fault ?? null,
    forLine: (facts) => lines.find((rule) => lineMatches(rule, facts))?.fault ?? null,
  };
}

interface CallRule {
  readonly on: CallName;
  readonly match: CallMatch;
  readonly fault: AnyCallFault;
  readonly salt: string;
}

interface LineRule {
  readonly match: LineMatch;
  readonly fault: LineFault;
  readonly salt: string;
  readonly customId: RegExp | null;
}

function patternOf(match: LineMatch): RegExp | null {
  return match.custom_id === undefined ? null : new RegExp(match.custom_id, 'u');
}

function callMatches({ on, match, salt }: CallRule, facts: CallFacts): boolean {
  return (
    on === facts.on &&
    isAmong(match.nth, facts.nth) &&
    isAmong(match.batch, facts.batch) &&
    (match.first === undefined || facts.nth <= match.first) &&
    isEvery(match.every, facts.nth) &&
    isDrawn(match.share, () => `${salt} ${facts.nth}`)
  );
}

function lineMatches({ match, salt, customId }: LineRule, facts: LineFacts): boolean {
  return (
    isAmong(match.line, facts.line) &&
    isAmong(match.batch, facts.batch) &&
    isEvery(match.every, facts.line) &&
    (customId === null || customId.test(facts.customId)) &&
    isDrawn(match.share, () => `${salt} ${match.sticky ? facts.bodyHash : facts.customId}`)
  );
}

function isAmong(wanted: number | readonly number[] | undefined, number: number | null): boolean {
  if (wanted === undefined) return true;
  if (number === null) return false;
  return typeof wanted === 'number' ? wanted === number : wanted.includes(number);
}

function isEvery(every: number | undefined, number: number): boolean {
  return every === undefined || number % every === 0;
}

function isDrawn(share: number | undefined, text: () => string): boolean {
  return share === undefined || shareOf(text()) < share;
}
