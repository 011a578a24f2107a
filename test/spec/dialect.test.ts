import { expect, it } from 'vitest';
import { compileIn } from '../../runner/spec/dialect.ts';

it('compiles a schema once, however often it is read: a watch reads all of them in each pass, and Ajv forgets none', () => {
  const schema = () => ({ type: 'object', properties: { label: { type: 'string', maxLength: 3 } } });
  const first = compileIn('2020-12', schema());
  expect(compileIn('2020-12', schema())).toBe(first);
  expect(first({ label: 'abcd' })).toBe(false);
});

it('knows schemas apart by what they check, and by their dialect', () => {
  const first = compileIn('2020-12', { type: 'array', items: { type: 'integer' } });
  const second = compileIn('2020-12', { type: 'array', items: { type: 'string' } });
  const older = compileIn('draft-07', { type: 'array', items: { type: 'integer' } });
  expect([first(['a']), second(['a']), older(['a'])]).toEqual([false, true, false]);
  expect(older).not.toBe(first);
});
