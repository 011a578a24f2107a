import { closest } from 'fastest-levenshtein';
import {
  ANSWER_FAULTS,
  CALLS,
  DEFAULT_LIMITS,
  DEFAULT_PHASES,
  type Limits,
  type Phases,
  RESULT_FAULTS,
  type Rule,
  type Scenario,
} from './scenario.ts';

/** One mistake in a scenario. `path` leads to it: `['rules', 0, 'do', 'status']`. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string;
}

/** A scenario without gaps. */
export interface FullScenario {
  readonly seed: string;
  readonly phases: Phases;
  readonly limits: Limits;
  readonly rules: readonly Rule[];
}

export function fillScenario(scenario: Scenario): FullScenario {
  return {
    seed: scenario.seed ?? 'batchwright',
    phases: { ...DEFAULT_PHASES, ...scenario.phases },
    limits: { ...DEFAULT_LIMITS, ...scenario.limits },
    rules: scenario.rules ?? [],
  };
}

/** All mistakes of a scenario as it was read from YAML or written in a test; none means that it is a `Scenario`. */
export function checkScenario(value: unknown): Problem[] {
  if (!isMapping(value)) return [wrong([], 'a scenario', value, 'a mapping with `rules`')];
  return [
    ...checkFields(value, SCENARIO, []),
    ...checkPart(value.phases, PHASES, ['phases']),
    ...checkPart(value.limits, LIMITS, ['limits']),
    ...(Array.isArray(value.rules) ? value.rules.flatMap(checkRule) : []),
  ];
}

/** What a field's value must be; `fits` decides, `is` says it to a person. */
interface Field {
  readonly is: string;
  fits(value: unknown): boolean;
}
type Fields = Readonly<Record<string, Field>>;

const text: Field = { is: 'text', fits: (value) => typeof value === 'string' };
const flag: Field = { is: '`true` or `false`', fits: (value) => typeof value === 'boolean' };
const mapping: Field = { is: 'a mapping', fits: isMapping };
const list: Field = { is: 'a list', fits: Array.isArray };
const share: Field = { is: 'a share from 0 to 1', fits: (value) => isBetween(value, 0, 1) };
const milliseconds: Field = {
  is: 'a number of milliseconds, 0 or more',
  fits: (value) => isBetween(value, 0, Number.MAX_SAFE_INTEGER),
};
const count: Field = { is: 'a whole number from 1', fits: isCount };
const amount: Field = {
  is: 'a whole number from 0',
  fits: (value) => Number.isInteger(value) && isBetween(value, 0, Number.MAX_SAFE_INTEGER),
};
const counts: Field = {
  is: 'a whole number from 1, or a list of them',
  fits: (value) => isCount(value) || (Array.isArray(value) && value.every(isCount)),
};
const status: Field = {
  is: 'an HTTP status from 200 to 599',
  fits: (value) => Number.isInteger(value) && isBetween(value, 200, 599),
};
const pattern: Field = { is: 'a regular expression', fits: compiles };
const texts: Field = {
  is: 'a mapping of names to text',
  fits: (value) => isMapping(value) && Object.values(value).every((inner) => typeof inner === 'string'),
};
const retryAfter: Field = {
  is: 'seconds or a date',
  fits: (value) => typeof value === 'string' || typeof value === 'number',
};

function oneOf(names: readonly string[]): Field {
  return {
    is: `one of ${names.join(', ')}`,
    fits: (value) => typeof value === 'string' && names.includes(value),
  };
}

function orNull(field: Field): Field {
  return { is: `${field.is}, or null`, fits: (value) => value === null || field.fits(value) };
}

const SCENARIO: Fields = {
  name: text,
  about: text,
  seed: text,
  phases: mapping,
  limits: mapping,
  rules: list,
};
const PHASES: Fields = {
  validating_ms: milliseconds,
  running_ms: milliseconds,
  running_ms_per_1000: milliseconds,
  finalizing_ms: milliseconds,
  cancelling_ms: milliseconds,
};
const LIMITS: Fields = {
  requests_per_batch: orNull(count),
  file_bytes: orNull(count),
  enqueued_tokens: orNull(amount),
  models: orNull({
    is: 'a list of model names',
    fits: (value) => Array.isArray(value) && value.every(text.fits),
  }),
};
const CALL_RULE: Fields = {
  on: oneOf([...CALLS, 'line']),
  nth: counts,
  first: count,
  every: count,
  share,
  batch: counts,
  do: mapping,
};
const LINE_RULE: Fields = {
  on: oneOf(['line']),
  line: counts,
  every: count,
  share,
  sticky: flag,
  custom_id: pattern,
  batch: counts,
  do: mapping,
};
const CALL_FAULT: Fields = {
  when: oneOf(['before_commit', 'after_commit']),
  delay_ms: milliseconds,
  status,
  code: text,
  type: text,
  message: text,
  retry_after: retryAfter,
  headers: texts,
  body: text,
  reset: flag,
};
const BATCH_FAULT: Fields = {
  hide_in_list_ms: milliseconds,
  not_found_ms: milliseconds,
  stuck: oneOf(['validating', 'in_progress', 'finalizing']),
  stuck_for_ms: milliseconds,
  expire_with: share,
  cancel_with: share,
  fail: text,
  fail_message: text,
  fail_line: count,
  all_failed: flag,
  error_file: oneOf(['empty_id', 'zero_bytes', 'dropped']),
  output_file: oneOf(['dropped']),
  files_after_ms: milliseconds,
  lookalikes: count,
  not_stored: flag,
  state_word: text,
  counts: mapping,
};
const COUNTS: Fields = { total: amount, completed: amount, failed: amount };
const LINE_FAULT: Fields = {
  status,
  code: text,
  type: text,
  message: text,
  answer: oneOf(ANSWER_FAULTS),
  text,
  result: oneOf(RESULT_FAULTS),
  file: oneOf(['output', 'error']),
};
/** What `do` may hold, by operation. A new fault is one line here and one in `scenario.ts`. */
const FAULTS: Readonly<Record<string, Fields>> = {
  ...Object.fromEntries(CALLS.map((name) => [name, CALL_FAULT])),
  create: { ...CALL_FAULT, ...BATCH_FAULT },
  list: { ...CALL_FAULT, repeat_cursor: flag, lag_ms: milliseconds },
  download: { ...CALL_FAULT, cut_at: share, content_length: flag },
  ask: { ...CALL_FAULT, answer: oneOf(ANSWER_FAULTS) },
  line: LINE_FAULT,
};

function checkRule(rule: unknown, at: number): Problem[] {
  const path = ['rules', at];
  if (!isMapping(rule)) return [wrong(path, 'a rule', rule, 'a mapping with `on` and `do`')];
  const on = String(rule.on);
  const missing = ['on', 'do']
    .filter((name) => !(name in rule))
    .map((name): Problem => ({ path, message: `a rule needs \`${name}\`` }));
  const fault = isMapping(rule.do) ? rule.do : {};
  return [
    ...missing,
    ...checkFields(rule, on === 'line' ? LINE_RULE : CALL_RULE, path),
    ...(FAULTS[on] === undefined ? [] : checkFields(fault, FAULTS[on], [...path, 'do'])),
    ...checkPart(fault.counts, COUNTS, [...path, 'do', 'counts']),
  ];
}

function checkPart(value: unknown, fields: Fields, path: Problem['path']): Problem[] {
  return isMapping(value) ? checkFields(value, fields, path) : [];
}

function checkFields(value: Record<string, unknown>, fields: Fields, path: Problem['path']): Problem[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) return [unknownField(name, Object.keys(fields), path)];
    return field.fits(inner) ? [] : [wrong([...path, name], `\`${name}\``, inner, field.is)];
  });
}

function unknownField(name: string, known: readonly string[], path: Problem['path']): Problem {
  return {
    path: [...path, name],
    message: `\`${name}\` is not known ${path.length === 0 ? 'in a scenario' : `in \`${path.join('.')}\``}`,
    hint: `Did you mean \`${closest(name, [...known])}\`? Known here: ${known.join(', ')}.`,
  };
}

function wrong(path: Problem['path'], what: string, came: unknown, expected: string): Problem {
  return { path, message: `${what} must be ${expected}; it is ${JSON.stringify(came) ?? 'absent'}` };
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isBetween(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most;
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && isBetween(value, 1, Number.MAX_SAFE_INTEGER);
}

function compiles(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
