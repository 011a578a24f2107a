import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const IMPORTS = importsOf(globSync('runner/**/*.ts', { cwd: ROOT }));

it('no import goes round in a circle, not even one of types', () => {
  expect(IMPORTS.size).toBeGreaterThan(200);
  expect(circle(IMPORTS)).toEqual([]);
});

it('nothing is exported that nobody names', () => {
  const texts = globSync('{runner,test,bench,scripts}/**/*.ts', {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  }).map((file) => ({ file, words: wordsOf(file) }));
  const named = new Map<string, number>();
  for (const { words } of texts)
    for (const word of new Set(words)) named.set(word, (named.get(word) ?? 0) + 1);
  const unused = [...IMPORTS.keys()].flatMap((file) => {
    const words = wordsOf(file);
    return exportsOf(file)
      .filter((name) => named.get(name) === 1 && words.filter((word) => word === name).length === 1)
      .map((name) => `${name} of ${file}`);
  });
  expect(unused).toEqual([]);
});

it.each([
  ['ids, errors', /^runner\/(ids|errors)\.ts$/, /./],
  [
    'spec',
    /^runner\/spec\//,
    /^runner\/(journal|plan|reconcile|ledger|sink|store|report|commands|emulator)\//,
  ],
  ['journal', /^runner\/journal\//, /^runner\/(plan|reconcile|ledger|sink|report|commands|emulator)\//],
  ['plan', /^runner\/plan\//, /^runner\/(reconcile|ledger|store|sink|report|commands|emulator)\//],
  ['outcome', /^runner\/outcome\//, /^runner\/(plan|reconcile|ledger|store|sink|report|commands|emulator)\//],
  ['emulator', /^runner\/emulator\//, /^runner\/(provider|reconcile|plan|ledger|sink|store|commands)\//],
])('%s imports nothing from above', (_name, of, above) => {
  const faults = [...IMPORTS]
    .filter(([file]) => of.test(file))
    .flatMap(([file, imported]) => imported.filter((to) => above.test(to)).map((to) => `${file} -> ${to}`));
  // The two lowest may know each other's types.
  expect(faults.filter((fault) => fault !== 'runner/errors.ts -> runner/ids.ts')).toEqual([]);
});

/** Of each file, the files of runner/ that it names. */
function importsOf(files: readonly string[]): Map<string, string[]> {
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const named = [...text.matchAll(/(?:from|import\() ?'(\.[^']+\.ts)'/g)].map(([, path]) =>
        resolve('/', dirname(file), path as string).slice(1),
      );
      return [file, named];
    }),
  );
}

function wordsOf(file: string): string[] {
  return readFileSync(join(ROOT, file), 'utf8').match(/\w+/g) ?? [];
}

function exportsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const exported = /^export (?:async )?(?:function\*?|const|interface|type|class) (\w+)/gm;
  return [...text.matchAll(exported)].map(([, name]) => name as string);
}

/** The first circle found, as its files in order; empty where there is none. */
function circle(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const next of imports.get(file) ?? []) {
      const found = walk(next, [...path, file]);
      if (found.length > 0) return found;
    }
    done.add(file);
    return [];
  };
  for (const file of imports.keys()) {
    const found = walk(file, []);
    if (found.length > 0) return found;
  }
  return [];
}
