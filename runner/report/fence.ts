import { type Markdown, plain } from './escape.ts';

const LINE_LENGTH = 300;

/**
 * Lines of any text in a fence, where no renderer looks for markup, mentions or links. It is longer than any fence in
 * the text; control and direction characters stand visibly.
 */
export function fenced(language: 'text' | 'diff' | 'yaml', lines: readonly string[]): Markdown {
  const safe = lines.map((line) => plain(line, LINE_LENGTH));
  const runs = safe.flatMap((line) => [...line.matchAll(/~+/g)].map(([run]) => run.length));
  const fence = '~'.repeat(Math.max(3, ...runs.map((length) => length + 1)));
  return `${fence}${language}\n${safe.join('\n')}\n${fence}` as Markdown;
}

/**
 * A job's name inside `<summary>`, where Markdown's own escapes do not hold. Names are letters, digits and hyphens; any
 * other text is not shown there.
 */
export function inSummary(name: string): Markdown {
  return (/^[a-z0-9][a-z0-9-]*$/.test(name) ? name : 'a job') as Markdown;
}
