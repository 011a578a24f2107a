/** Texts that have broken reports: markup, mentions, links, tables, controls, direction, formulas, commands. */
export const HOSTILE_TEXTS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<!-- hidden',
  '</details>',
  '![pixel](https://example.org/p.png)',
  '[click](javascript:alert(1))',
  '[ref]: https://example.org',
  'see https://example.org/?a=b',
  'www.example.org',
  '@everyone and @org/team',
  'mail ivo@example.org',
  'fixes #123, GH-7, org/repo#9',
  'a | b | c',
  '\\| \\\\| \\\\\\|',
  'ends with a backslash \\',
  '`code` ``more`` and ` one',
  '```\nfence\n```',
  '| --- | --- |',
  '# heading\n## another',
  '- list\n1. list\n> quote',
  '::error file=x::gotcha',
  '##[error]gotcha',
  '::add-mask::secret',
  '\u001b[31mred\u001b[0m\u001b]0;title\u0007',
  'right\u202eto left\u2066\u2069',
  'zero\u200bwidth\u2060\ufeff',
  'line\u2028and\u2029para\u0085',
  'nul\u0000\r\n\tmix\rend',
  'half \ud83d pair',
  ':smile: :tada:',
  '$x^2$ and $`y`$',
  '**bold** _it_ ~~gone~~ ***',
  '&lt;b&gt; &#64; &amp;',
  '=cmd|calc',
  '',
  '   ',
  '{{constructor}}',
  'tags \u{e0041}\u{e0042}',
  'long '.repeat(3000),
] as const;

/** Strings that renderers may rely on: names of ours, times and digests. Everything else may be anything. */
const OURS = new Set([
  'job',
  'phase',
  'type',
  'status',
  'class',
  'state',
  'kind',
  'task',
  'since',
  'until',
  'digest',
  'prompt',
  'schema',
  'source',
  'manifest',
  'journalHead',
  'head',
  'lineage',
  'pricesOf',
]);

/** The same value with every other string replaced, names of records too. */
export function withHostile<Value>(value: Value, text: () => string): Value {
  return replaced(value, null, text) as Value;
}

function replaced(value: unknown, name: string | null, text: () => string): unknown {
  if (typeof value === 'string') return name !== null && isOurs(name) ? value : text();
  if (Array.isArray(value)) return value.map((inner) => replaced(inner, name, text));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([inner, of]) => [
    name === 'labels' || name === 'servedModels' ? text() : inner,
    replaced(of, inner, text),
  ]);
  return Object.fromEntries(entries);
}

function isOurs(name: string): boolean {
  return OURS.has(name) || name.endsWith('At');
}
