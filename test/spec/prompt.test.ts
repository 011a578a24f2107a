import Handlebars from 'handlebars';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../runner/errors.ts';
import { digestOf } from '../../runner/ids.ts';
import { ExactNumber } from '../../runner/manifest/exact-json.ts';
import type { LoadedJob, TextFile } from '../../runner/spec/job.ts';
import { checkPromptColumns, compilePrompts, PromptError, type Row } from '../../runner/spec/prompt.ts';

const file = (path: string, text: string): TextFile => ({ path, text, digest: digestOf(text) });

function compiled(
  user: string,
  partials: Readonly<Record<string, string>> = {},
  system: string | null = null,
) {
  const prompts: LoadedJob['prompts'] = {
    system: system === null ? null : file('prompts/t/system.hbs', system),
    user: file('prompts/t/user.hbs', user),
    partials: Object.fromEntries(
      Object.entries(partials).map(([name, text]) => [name, file(`prompts/partials/${name}.hbs`, text)]),
    ),
  };
  return compilePrompts(prompts);
}

const rendered = (user: string, row: Row, partials?: Readonly<Record<string, string>>) =>
  compiled(user, partials).render(row).user;

test.each(['{{title}}', '{{{title}}}', '{{&title}}'])('B017: %s sends the text as it is', (template) => {
  const title = `Tom & "Jerry's" <b> a=b`;
  expect(rendered(template, { title })).toBe(title);
});

test('B021: row text that looks like a template survives byte for byte', () => {
  const body = 'Q: {{env.API_KEY}} {{> secret}} {{#each x}}';
  expect(rendered('{{body}}', { body }, { secret: 'S' })).toBe(body);
  expect(rendered('{{> wrap}}', { body }, { wrap: '<{{body}}>' })).toBe(`<${body}>`);
});

describe('B018: what is not there', () => {
  test.each([
    ['a misspelt column', '{{boody}}', 'boody', 'Did you mean `body`?'],
    ['in #if', '{{#if boody}}x{{/if}}', 'boody', 'Did you mean `body`?'],
    ['in #each', '{{#each tgas}}{{this}}{{/each}}', 'tgas', 'Did you mean `tags`?'],
    ['a column with a dot', '{{user.name}}', 'user', 'A column with a dot is written {{[user.name]}}.'],
    ['reached from inside', '{{#each tags}}{{../boody}}{{/each}}', 'boody', 'Did you mean `body`?'],
    ['in a partial', '{{> p}}', 'boody', 'Did you mean `body`?'],
    ['by @root', '{{#each tags}}{{@root.boody}}{{/each}}', 'boody', 'Did you mean `body`?'],
  ])('%s is found before any row', (_name, template, name, hint) => {
    const [finding] = checkPromptColumns(compiled(template, { p: '{{boody}}' }), [
      'body',
      'tags',
      'user.name',
    ]);
    expect(finding).toMatchObject({ code: 'unknown-column', hint });
    expect(finding?.message).toContain(`\`${name}\``);
  });

  test('names inside a list are not columns', () => {
    expect(checkPromptColumns(compiled('{{#each tags}}{{label}}{{/each}}'), ['tags'])).toEqual([]);
  });

  test('a known column that the row lacks, and null, are filled in as nothing', () => {
    expect(rendered('[{{a}}][{{b}}]{{#if b}}x{{/if}}{{#each a}}x{{/each}}', { b: null })).toBe('[][]');
  });

  test('a deeper field that the row lacks ends the row, naming path and value', () => {
    const render = () => rendered('{{user.name}}', { user: { id: 7 } });
    expect(render).toThrow(PromptError);
    expect(render).toThrow(
      '`user.name` is not in this row: `user` is {"id":7}. Put {{#if user.name}} around it',
    );
  });

  test.each([
    ['{{user.name}}', { user: null }],
    ['{{#each user.tags}}x{{/each}}', { user: {} }],
    ['{{#with user.home}}x{{/with}}', { user: {} }],
    ['{{json user.home}}', { user: {} }],
    ['{{#each users}}{{name}}{{/each}}', { users: [{ name: 'a' }, {}] }],
    ['{{title.length}}', { title: 'abc' }],
    ['{{n.x}}', { n: new ExactNumber('1.10') }],
  ])('%s of %j', (template, row) => {
    expect(() => rendered(template, row)).toThrow(PromptError);
  });

  test('#if and #unless may ask whether a field is there', () => {
    const template = '{{#if user.name}}{{user.name}}{{else}}?{{/if}}{{#unless user.name}}!{{/unless}}';
    expect([rendered(template, { user: {} }), rendered(template, { user: { name: 'Ann' } })]).toEqual([
      '?!',
      'Ann',
    ]);
  });
});

describe('B020: own plain data alone', () => {
  class Ticket {
    readonly id = 1;
    get title() {
      return 'from a prototype';
    }
  }

  test.each([
    ['{{t.title}}', { t: new Ticket() }],
    ['{{t.constructor}}', { t: {} }],
    ['{{t.toString}}', { t: {} }],
    ['{{t.__proto__}}', { t: {} }],
    ['{{t.filter}}', { t: [1] }],
  ])('%s is an error, never an empty text', (template, row) => {
    expect(() => rendered(template, row)).toThrow(PromptError);
  });

  test('columns named like the prototype of an object are columns', () => {
    const row = JSON.parse('{"constructor":"Ferrari","__proto__":"x","toString":"y"}') as Row;
    expect(rendered('{{constructor}} {{__proto__}} {{toString}}', row)).toBe('Ferrari x y');
    expect(rendered('[{{constructor}}]', {})).toBe('[]');
  });

  test.each([
    ['an object', { id: 1 }],
    ['a list', ['a']],
  ])('%s has no text: the row is told to use json', (_name, value) => {
    expect(() => rendered('{{x}}', { x: value })).toThrow('write {{json x}}');
  });
});

describe('values', () => {
  const row = {
    n: new ExactNumber('1.10'),
    zero: new ExactNumber('0.0'),
    big: 12n,
    o: { n: new ExactNumber('1e5') },
  };

  test('numbers keep the text of the source, in templates and in json', () => {
    expect(rendered('{{n}} {{big}} {{json n}} {{json o}}', { ...row })).toBe('1.10 12 1.10 {"n":1e5}');
  });

  test('a zero is "no" however it is written, unless includeZero says otherwise', () => {
    expect(rendered('{{#if zero}}y{{else}}n{{/if}}{{#if n}}y{{/if}}', row)).toBe('ny');
    expect(rendered('{{#if zero includeZero=true}}y{{/if}}', row)).toBe('y');
  });

  test('json of a text, of nothing, of the whole row', () => {
    expect(rendered('{{json a}} {{json b}} {{json this}}', { a: 'x"y' })).toBe('"x\\"y" null {"a":"x\\"y"}');
  });

  test('numbers side by side are digits side by side', () => {
    expect(rendered('{{a}}{{b}}', { a: 1, b: 2 })).toBe('12');
    expect(Handlebars.compile('{{a}}{{b}}', { noEscape: true })({ a: 1, b: 2 })).toBe('3');
  });

  test('true, false and numbers', () => {
    expect(rendered('{{a}} {{b}} {{c}}', { a: true, b: false, c: 1.5 })).toBe('true false 1.5');
  });
});

describe('scopes', () => {
  const row = {
    lang: 'de',
    rows: [
      { n: 1, sub: [{ m: 'a' }, { m: 'b' }] },
      { n: 2, sub: [] },
    ],
    map: { x: 1, y: 2 },
    o: { p: { q: 'deep' } },
  };

  test.each([
    ['{{#each rows}}{{n}}{{../lang}} {{/each}}', '1de 2de '],
    ['{{#each rows}}{{#each sub}}{{m}}{{../n}}{{../../lang}}{{/each}}{{/each}}', 'a1deb1de'],
    ['{{#each rows}}{{#if n}}{{n}}{{../lang}}{{/if}}{{/each}}', '1de2de'],
    ['{{#each rows}}{{@index}}{{@first}}{{@last}} {{/each}}', '0truefalse 1falsetrue '],
    ['{{#each rows}}{{#each sub}}{{@../index}}{{@index}}{{/each}}{{/each}}', '0001'],
    ['{{#each map}}{{@key}}={{this}};{{/each}}', 'x=1;y=2;'],
    ['{{#each rows as |r i|}}{{i}}{{r.n}}{{#each r.sub as |s|}}{{s.m}}{{r.n}}{{/each}}{{/each}}', '01a1b112'],
    ['{{#with o}}{{#with p}}{{q}}{{../../lang}}{{/with}}{{/with}}', 'deepde'],
    ['{{#with o as |x|}}{{x.p.q}}{{/with}}', 'deep'],
    ['{{#with this}}{{lang}}{{/with}}', 'de'],
    ['{{#each rows}}{{@root.lang}}{{/each}}', 'dede'],
    ['{{#each none}}x{{else}}nothing{{/each}}', 'nothing'],
    ['{{#if none}}a{{else if lang}}b{{else}}c{{/if}}', 'b'],
    ['{{this.lang}} {{./lang}} {{[lang]}}', 'de de de'],
    ['{{! a remark }}{{!-- another --}}\\{{lang}}', '{{lang}}'],
    ['{{#if lang}}\n  in\n{{/if}}\nout', '  in\nout'],
    ['a {{~lang~}} b', 'adeb'],
  ])('%s', (template, text) => {
    expect(rendered(template, row)).toBe(text);
  });

  test('CRLF in a template is LF in the prompt', () => {
    expect(rendered('a\r\n{{lang}}\r\n', { lang: 'x\r\ny' })).toBe('a\nx\r\ny\n');
  });

  test('the columns that are sent: each once, in order, none from inside', () => {
    const { columns, paths } = compiled('{{#each rows}}{{n}}{{../lang}}{{/each}}{{#if o.p}}{{lang}}{{/if}}');
    expect(columns).toEqual(['rows', 'lang', 'o']);
    expect(paths.map(({ path, line, column, length }) => [path, line, column, length])).toEqual([
      ['rows', 1, 9, 4],
      ['../lang', 1, 22, 7],
      ['o.p', 1, 46, 3],
      ['lang', 1, 53, 4],
    ]);
  });

  test('a prompt that sends the whole row says so', () => {
    expect(compiled('{{json this}}').columns).toBeNull();
    expect(compiled('{{#each @root}}{{this}}{{/each}}').columns).toBeNull();
  });
});

describe('partials', () => {
  test.each([
    ['at the place of the call', '{{#each rows}}{{> p}}{{/each}}', '{{n}}{{../lang}}', '1de2de'],
    ['with a context', '{{> p o}}', '{{a}}{{../lang}}', 'xde'],
    ['with names', '{{> p tone="calm" n=lang}}', '{{tone}} {{n}} {{lang}}', 'calm de de'],
    ['block parameters stay outside', '{{#each rows as |lang|}}{{> p}}{{/each}}', '{{../lang}}', 'dede'],
    ['only its first line is indented', '<\n  {{> p}}\n>', 'a\n{{lang}}\n', '<\n  a\nde\n>'],
  ])('%s', (_name, template, partial, text) => {
    const row = { lang: 'de', rows: [{ n: 1 }, { n: 2 }], o: { a: 'x' } };
    expect(rendered(template, row, { p: partial })).toBe(text);
  });

  test('those in use are named, and a broken one that is not used disturbs nobody', () => {
    const { partials } = compiled('{{> a}}', { a: '{{> b/c}}', 'b/c': 'x', broken: '{{#if' });
    expect(partials).toEqual(['a', 'b/c']);
  });
});

describe('templates that are refused', () => {
  test.each([
    ['{{#if x}}', 'template', 'The block `if` is never closed.'],
    ['{{#if x}}{{/each}}', 'template', 'if is closed by each.'],
    ['a {{b', 'template', 'This `{{` is never closed.'],
    ['{"id": {{id}}}', 'template', '`}}}` closes a tag that was opened with `{{`.'],
    ['{{"label": x}}', 'not-a-column', 'A text or number stands where a column was expected.'],
    ['{{uppercase x}}', 'unknown-helper', '`uppercase` is not a helper'],
    ['{{lookup x y}}', 'unknown-helper', '`lookup` is not a helper'],
    ['{{#foreach x}}{{/foreach}}', 'unknown-helper', '`foreach` opens no block'],
    ['{{#x}}{{/x}}', 'unknown-helper', '`x` opens no block'],
    ['{{#if (eq a b)}}{{/if}}', 'nested-helper', 'Helpers cannot be called inside others.'],
    ['{{if x}}', 'wrong-call', '`if` opens a block.'],
    ['{{json}}', 'wrong-call', '`json` takes exactly one value.'],
    ['{{#each a b}}{{/each}}', 'wrong-call', '`each` takes exactly one value.'],
    ['{{"x y"}}', 'not-a-column', 'A text or number stands where a column was expected.'],
    ['{{> nope}}', 'unknown-partial', 'There is no partial `nope`'],
    ['{{> (f x)}}', 'nested-helper', 'Helpers cannot be called inside others.'],
    ['{{#> layout}}x{{/layout}}', 'not-supported', 'Partial blocks'],
    ['{{#*inline "x"}}y{{/inline}}', 'not-supported', 'Decorators'],
    ['{{> loop}}', 'recursive-partial', 'A partial includes itself: loop → loop2 → loop.'],
    ['{{../x}}', 'path-leaves-row', '`../x` goes further out than the row.'],
    ['{{@index}}', 'unknown-data', '`@index` has a value only inside {{#each}}.'],
    ['{{#each a}}{{@idx}}{{/each}}', 'unknown-data', '`@idx` is not known'],
    ['{{#if a includeZeros=true}}{{/if}}', 'unknown-option', '#if and #unless know one option'],
  ])('%s', (template, code, message) => {
    const partials = { loop: '{{> loop2}}', loop2: '{{> loop}}' };
    const [finding] = findingsOf(() => compiled(template, partials));
    expect(finding?.code).toBe(code);
    expect(finding?.message).toContain(message);
    expect(finding?.line).toBe(1);
  });

  test('all findings of all files come at once, with their places', () => {
    const found = findingsOf(() => compiled('\n{{upper a}} {{> p}}', { p: 'x {{lower b}}' }, '{{#if'));
    expect(found.map(({ file: path, line, column }) => `${path}:${line}:${column}`)).toEqual([
      'prompts/t/system.hbs:1:1',
      'prompts/t/user.hbs:2:3',
      'prompts/partials/p.hbs:1:5',
    ]);
  });

  test('a syntax tree in place of a text is not run (CVE-2026-106446)', () => {
    const tree = { type: 'Program', body: [] } as unknown as string;
    expect(() =>
      compilePrompts({ system: null, user: { ...file('u', ''), text: tree }, partials: {} }),
    ).toThrow();
  });
});

function findingsOf(act: () => unknown) {
  try {
    act();
  } catch (error) {
    if (error instanceof UserError) return error.findings;
    throw error;
  }
  return [];
}
