import fc from 'fast-check';
import Handlebars from 'handlebars';
import { expect, test } from 'vitest';
import { digestOf } from '../../runner/ids.ts';
import { compilePrompts, type Row } from '../../runner/spec/prompt.ts';

function renderedBy(text: string): (row: Row) => string {
  const user = { path: 'prompts/t/user.hbs', text, digest: digestOf(text) };
  const { render } = compilePrompts({ system: null, user, partials: {} });
  return (row) => render(row).user;
}

/**
 * Templates of everything that prompts have, over data in which every path is there. Values are texts and lists hold
 * objects: without escaping Handlebars adds up numbers that stand side by side, and around a number or a text it may
 * count one `../` too many, since it compares a boxed value with a plain one.
 */
const path = fc.constantFrom('a', 'b', 'o.x', 'this.a', '@root.b', '[c d]');
const leaf = fc.oneof(
  path.map((each) => `{{${each}}}`),
  path.map((each) => `{{{${each}}}}`),
  fc.constantFrom('text', '\n', '  ', ' { ', ' } ', '{{! remark }}', '\\{{a}} ', '{{~a~}}'),
);
const { template } = fc.letrec<{ template: string; piece: string; block: string }>((tie) => ({
  template: fc.array(tie('piece'), { maxLength: 5 }).map((pieces) => pieces.join('')),
  piece: fc.oneof({ weight: 4, arbitrary: leaf }, { weight: 1, arbitrary: tie('block') }),
  block: fc
    .tuple(fc.constantFrom('if', 'unless'), path, tie('template'), tie('template'))
    .map(([name, at, yes, no]) => `{{#${name} ${at}}}${yes}{{else}}${no}{{/${name}}}`),
}));
const entry = fc.constantFrom(
  '{{n}}',
  '{{this.n}}{{@index}}',
  '{{../a}}',
  '{{#if n}}{{n}}{{../b}}{{else}}-{{/if}}\n',
  '\n  {{#unless @first}}, {{/unless}}\n',
  '{{#each ../other as |x i|}}{{x.m}}{{m}}{{i}}{{../n}}{{../../a}}{{@../index}}{{/each}}',
  '{{#each keys}}{{@key}}={{this}}{{#unless @last}};{{/unless}}{{/each}}',
);
const whole = fc
  .tuple(template, fc.array(entry, { maxLength: 3 }), template)
  .map(
    ([before, each, after]) =>
      `${before}{{#each list}}\n${each.join('')}{{else}}none{{/each}}${after}{{#with o}}{{x}}{{../a}}{{/with}}`,
  );
const text = fc.oneof(fc.string(), fc.constantFrom('', '{{a}}', '<&>', '0'));
/** Objects without a prototype end Handlebars itself in a TypeError. */
const PLAIN = { noNullPrototype: true };
const data = fc.record(
  {
    a: text,
    b: fc.oneof(text, fc.constant(null)),
    'c d': text,
    o: fc.record({ x: text }, PLAIN),
    list: fc.array(fc.record({ n: text, keys: fc.dictionary(text, text, { ...PLAIN, maxKeys: 2 }) }, PLAIN), {
      maxLength: 3,
    }),
    other: fc.array(fc.record({ m: text }, PLAIN), { maxLength: 3 }),
  },
  PLAIN,
);

test('the same text as Handlebars gives, for templates of everything that both have', () => {
  fc.assert(
    fc.property(whole, data, (source, row) => {
      const handlebars = Handlebars.compile(source, { noEscape: true, knownHelpersOnly: true });
      expect(renderedBy(source)(row)).toBe(handlebars(row));
    }),
    { numRuns: 500 },
  );
});
