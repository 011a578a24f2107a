import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const FILES = globSync('**/*.ts', { cwd: import.meta.dirname });

/** Put together here, or this file would be a stranger to itself. */
const CALLED = 'import';

/** What tests may bring from outside. */
const FOR_TESTS = ['vitest', 'openai', '@anthropic-ai/sdk', '@google/genai'];

it('nothing here comes from outside of this folder but what node itself has', () => {
  expect(FILES.length).toBeGreaterThan(30);
  expect(
    FILES.flatMap((file) => findStrangers(file, readFileSync(join(import.meta.dirname, file), 'utf8'))),
  ).toEqual([]);
});

it.each([
  ["import { x } from '../../runner/ids.ts';", 1],
  ["import type { X } from '../support/x.ts';", 1],
  ["export * from '../support/x.ts';", 1],
  [`const x = await ${CALLED}('../support/x.ts');`, 1],
  ["import '../support/x.ts';", 1],
  ["import { z } from 'zod';", 1],
  ["import {\n  x,\n} from 'zod';", 1],
  ["import { x } from './clock.ts';", 0],
  ["import { x } from 'node:fs';", 0],
])('the wall sees through %s', (text, strangers) => {
  expect(findStrangers('some.ts', text)).toHaveLength(strangers);
});

/** A statement of import stands at the start of a line; one that is called may stand anywhere. */
const NAMED =
  /^(?:import|export|\})[^'"\n]*\bfrom\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|\b(?:import|require)\(\s*['"]([^'"]+)['"]/gm;

function findStrangers(file: string, text: string): string[] {
  return [...text.matchAll(NAMED)]
    .map(([, from, bare, called]) => from ?? bare ?? called ?? '')
    .filter((name) => !isOurs(file, name))
    .map((name) => `${file}: ${name}`);
}

function isOurs(file: string, name: string): boolean {
  if (name.startsWith('node:')) return true;
  if (name.startsWith('.')) return resolve('/here', dirname(file), name).startsWith('/here/');
  return file.endsWith('.test.ts') && FOR_TESTS.includes(name);
}
