import { expect, test } from 'vitest';
import type { Finding } from '../../runner/errors.ts';
import { parseYaml, type YamlFile } from '../../runner/spec/parse.ts';
import { readSourceText, sourceText } from '../../runner/spec/source-text.ts';
import { repo } from '../support/repo.ts';

function findingsOf(text: string): readonly Finding[] {
  return parseYaml(sourceText('jobs/a.yaml', text)).findings;
}

function yamlOf(text: string): YamlFile {
  const parsed = parseYaml(sourceText('jobs/a.yaml', text));
  if (parsed.kind === 'broken') throw new Error(parsed.findings[0]?.message);
  return parsed.yaml;
}

const BAD: readonly (readonly [name: string, text: string, places: readonly string[]])[] = [
  [
    'B001: a merge key, not a field named <<',
    'a: &x {b: 1}\nc:\n  <<: *x\n  d: 1\n',
    ['1:4 anchor', '3:3 merge-key'],
  ],
  ['B002: YAML 1.1, where no is false', '%YAML 1.1\n---\na: no\n', ['1:1 yaml-version']],
  ['B003: an unquoted template', 'prompt: {{title}}\n', ['1:10 yaml-syntax']],
  ['B003: a text cut by #', 'system: Answer with tag #1 only\n', ['1:25 cut-by-comment']],
  ['B004a: an empty file', '', ['- empty-file']],
  ['B004a: comments only', '# later\n', ['- empty-file']],
  ['B004b: two documents', 'a: 1\n---\nb: 2\n', ['2:1 several-documents']],
  ['B004c: a tab as indentation', 'a:\n\tb: 1\n', ['2:1 tab']],
  ['B004d: a key twice', 'model: a\nmodel: b\n', ['2:1 duplicate-key']],
  ['B004e: an alias bomb', 'a: &a [x]\nb: [*a, *a]\n', ['1:4 anchor', '2:5 alias']],
  ['a list', '- a\n', ['1:1 not-a-mapping']],
  ['a single value', 'hello\n', ['1:1 not-a-mapping']],
  ['a tag', 'a: !!binary aGk=\n', ['1:13 tag']],
  ['an empty value', 'a:\nb: 1\n', ['1:3 empty-value']],
  ['a quote that stays open, at its beginning', 'a: 1\nb: "x\nc: y\n', ['2:4 yaml-syntax']],
  ['a colon inside a text', 'a: b: c\n', ['1:4 yaml-syntax']],
  ['a line without a colon', 'name foo\nowner: x\n', ['1:1 yaml-syntax']],
  ['CRLF line ends', 'a: 1\r\nb: 2\r\nb: 3\r\n', ['3:1 duplicate-key']],
];

test.each(BAD)('%s', (_name, text, places) => {
  const found = findingsOf(text).map(
    ({ line, column, code }) => `${line === undefined ? '-' : `${line}:${column}`} ${code}`,
  );
  expect(found).toEqual(places);
});

test('B004: every finding has a sentence and the source line, and no stack', () => {
  for (const [, text] of BAD) {
    for (const { message, line, source } of findingsOf(text)) {
      expect(message).toMatch(/\.$/);
      expect(message).not.toContain('    at ');
      expect(source === undefined).toBe(line === undefined);
    }
  }
});

test('YAML 1.2 core: no and on are texts, and a %YAML 1.2 line is fine', () => {
  expect(yamlOf('%YAML 1.2\n---\na: no\nb: on\nc: 0o17\n').value).toEqual({ a: 'no', b: 'on', c: 15 });
});

test('B002: long keys that differ in the last digit are two keys', () => {
  const { value } = yamlOf('123456789012345678: a\n123456789012345679: b\n');
  expect(Object.keys(value)).toEqual(['123456789012345678', '123456789012345679']);
});

test('a key named __proto__ is a plain key', () => {
  const { value } = yamlOf('__proto__: { admin: true }\n');
  expect(Object.keys(value)).toEqual(['__proto__']);
  expect(({} as Record<string, unknown>).admin).toBeUndefined();
});

test('a finding points at a value, at its key, and at what encloses it where it is not there', () => {
  const yaml = yamlOf('input:\n  files: [a.csv, b.csv]\n');
  const note = { code: 'x', message: 'X.' };
  const place = ({ line, column, length }: Finding) => [line, column, length];
  expect(place(yaml.at(['input', 'files', 1], 'value', note))).toEqual([2, 18, 5]);
  expect(place(yaml.at(['input', 'files'], 'key', note))).toEqual([2, 3, 5]);
  expect(place(yaml.at(['input', 'key'], 'value', note))).toEqual([2, 3, 21]);
  expect(yaml.written(['input', 'files', 0])).toBe('a.csv');
  expect(yaml.written(['input'])).toBeNull();
});

const ENCODED: readonly (readonly [name: string, bytes: Buffer, code: string])[] = [
  ['UTF-16 as PowerShell writes it', Buffer.from('\uFEFFname: a\n', 'utf16le'), 'not-utf8'],
  ['UTF-16 without a mark', Buffer.from('name: a\n', 'utf16le'), 'not-utf8'],
  ['Latin-1', Buffer.from([0x61, 0x3a, 0x20, 0xe9, 0x0a]), 'not-utf8'],
  ['more than a megabyte', Buffer.alloc(1_000_001, 0x23), 'too-large'],
];

test.each(ENCODED)('%s', async (_name, bytes, code) => {
  await using files = await repo({ 'a.yaml': bytes });
  const read = await readSourceText(files.root, 'a.yaml');
  expect(read.kind === 'unreadable' ? read.finding.code : read.kind).toBe(code);
});

test('a UTF-8 byte order mark is no part of the text', async () => {
  await using files = await repo({ 'a.yaml': '\uFEFFname: a\n' });
  const read = await readSourceText(files.root, 'a.yaml');
  expect(read.kind === 'text' ? read.source.text : read.kind).toBe('name: a\n');
});

test('a folder is not a file, and what is not there is absent', async () => {
  await using files = await repo({ 'a/b.yaml': 'x: 1\n' });
  expect((await readSourceText(files.root, 'a')).kind).toBe('unreadable');
  expect((await readSourceText(files.root, 'c.yaml')).kind).toBe('absent');
  expect((await readSourceText(files.root, 'a/b.yaml/c')).kind).toBe('absent');
});
