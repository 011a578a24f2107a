import type { Finding } from '../errors.ts';
import { UserError } from '../errors.ts';
import type { Messages } from '../manifest/manifest.ts';
import type { LoadedJob, TextFile } from './job.ts';
import type { Collected, Fill, Template } from './prompt-at.ts';
import { compileTemplate } from './prompt-compile.ts';
import { parseTemplate } from './prompt-parse.ts';
import type { PromptPath, Row } from './prompt-row.ts';
import { rowScope } from './prompt-scope.ts';
import { sourceText } from './source-text.ts';
import { didYouMean, listed } from './suggest.ts';

export type { PromptPath, Row } from './prompt-row.ts';
export { PromptError } from './prompt-values.ts';

export interface CompiledPrompts {
  /** Every use of a column, in the order of the files. */
  readonly paths: readonly PromptPath[];
  /** The columns that reach the prompt, each once; null: the whole row does (`{{json this}}`). */
  readonly columns: readonly string[] | null;
  /** The names of the partials in use, sorted. */
  readonly partials: readonly string[];
  /**
   * Pure. A known column that the row lacks is filled in as nothing.
   * @throws PromptError where the row lacks a deeper field that a template asks for, or has no text there.
   */
  readonly render: (row: Row) => Messages;
}

/**
 * Prompts are Handlebars templates, strict and without escaping: `{{x}}` and `{{{x}}}` give the same bytes, a
 * missing field is an error and not an empty text, and there are the helpers `if`, `unless`, `each`, `with` and
 * `json` and partials from prompts/partials/ alone.
 *
 * Handlebars parses; the tree is walked here. Handlebars' own runtime would, without escaping, add up numbers that
 * stand side by side (`{{a}}{{b}}` of 1 and 2 gives 3), write objects as `[object Object]`, print denied look-ups to
 * the console instead of failing, and compile templates to code; and it takes eight times as long (1.2 against 0.15 µs
 * a row, two templates, five paths).
 *
 * @throws UserError with every finding where a template cannot be used
 */
export function compilePrompts(prompts: LoadedJob['prompts']): CompiledPrompts {
  const findings: Finding[] = [];
  const parse = ({ path, text }: TextFile) => parseTemplate(sourceText(path, text), findings);
  const collected = collecting(prompts.partials, parse, findings);
  const system = prompts.system === null ? null : folded(prompts.system, parse, collected);
  const user = folded(prompts.user, parse, collected);
  if (findings.length > 0) throw new UserError(eachOnce(findings));
  return {
    paths: collected.paths,
    columns: collected.wholeRow ? null : [...new Set(collected.paths.map(({ name }) => name))],
    partials: [...collected.usedPartials].sort(),
    render: (row) => {
      const scope = rowScope(row);
      return { system: system === null ? null : system(scope), user: user(scope) };
    },
  };
}

type Parse = (file: TextFile) => Template;

function collecting(files: LoadedJob['prompts']['partials'], parse: Parse, findings: Finding[]): Collected {
  const parsed = new Map<string, Template>();
  const partial = (name: string) => {
    const file = Object.hasOwn(files, name) ? files[name] : undefined;
    const known = parsed.get(name);
    if (known !== undefined || file === undefined) return known;
    const template = parse(file);
    parsed.set(name, template);
    return template;
  };
  const partialNames = Object.keys(files);
  return { partialNames, partial, paths: [], usedPartials: new Set(), findings, wholeRow: false };
}

/** A template that uses nothing of the row is filled in once. */
function folded(file: TextFile, parse: Parse, collected: Collected): Fill {
  const before = collected.paths.length;
  const fill = compileTemplate(parse(file), collected);
  if (collected.paths.length > before || collected.wholeRow || collected.findings.length > 0) return fill;
  const text = fill(rowScope({}));
  return () => text;
}

/** A partial that is used twice would say everything twice. */
function eachOnce(findings: readonly Finding[]): Finding[] {
  const byPlace = new Map(findings.map((finding) => [JSON.stringify(finding), finding]));
  return [...byPlace.values()];
}

/** Each column that the templates use must be one of `columns`; null values are fine, unknown names are not. */
export function checkPromptColumns(prompts: CompiledPrompts, columns: readonly string[]): Finding[] {
  const known = new Set(columns);
  return prompts.paths.filter(({ name }) => !known.has(name)).map((use) => unknownColumn(use, columns));
}

function unknownColumn(use: PromptPath, columns: readonly string[]): Finding {
  const { name, path, file, line, column, length, source } = use;
  const dotted = columns.includes(path) ? `A column with a dot is written {{[${path}]}}.` : undefined;
  const hint = dotted ?? didYouMean(name, columns) ?? `The columns are ${listed(columns)}.`;
  const message = `\`${name}\` is not a column of the input.`;
  return { level: 'error', code: 'unknown-column', message, hint, file, line, column, length, source };
}
