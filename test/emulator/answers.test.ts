import { describe, expect, test } from 'vitest';
import { answerTo, type Question } from '../../runner/emulator/answers.ts';

const HASH = '1234567890abcdef';
const SCHEMA = { type: 'object', properties: { label: { type: 'string' } }, required: ['label'] };
const TEXT = 'My parcel has been on its way for three weeks and nobody can tell me where it is.';

function ask(more: Partial<Question> = {}): Question {
  return { model: 'm', text: TEXT, schema: null, maxTokens: null, ...more };
}

test('the same body has the same answer, another body another', () => {
  expect(answerTo(ask(), HASH)).toEqual(answerTo(ask(), HASH));
  expect(answerTo(ask(), HASH).text).not.toBe(answerTo(ask(), 'fedcba0987654321').text);
});

test('tokens are a quarter of the bytes', () => {
  const { text, outputTokens } = answerTo(ask(), HASH);
  expect(outputTokens).toBe(Math.ceil(Buffer.byteLength(text) / 4));
});

test('the cap cuts the text and counts as spent', () => {
  const answer = answerTo(ask({ maxTokens: 3 }), HASH);
  expect(answer).toMatchObject({ stop: 'token_cap', outputTokens: 3 });
  expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(12);
});

test('the cap cuts between characters', () => {
  const answer = answerTo(ask({ text: 'Größenänderungsübung überall', maxTokens: 2 }), HASH);
  expect(answer.text).not.toContain('\uFFFD');
});

describe('a fault', () => {
  test('refuses', () => {
    expect(answerTo(ask(), HASH, 'refusal')).toMatchObject({ kind: 'refusal', stop: 'complete' });
  });

  test.each([
    ['truncated', 'token_cap'],
    ['content_filter', 'filter'],
  ] as const)('ends early: %s', (fault, stop) => {
    const answer = answerTo(ask({ schema: SCHEMA }), HASH, fault);
    expect(answer.stop).toBe(stop);
    expect(() => JSON.parse(answer.text)).toThrow();
  });

  test('writes what is no JSON', () => {
    expect(() => JSON.parse(answerTo(ask({ schema: SCHEMA }), HASH, 'invalid_json').text)).toThrow();
  });

  test('writes JSON that the schema forbids', () => {
    expect(JSON.parse(answerTo(ask({ schema: SCHEMA }), HASH, 'breaks_schema').text)).toEqual({
      lable: expect.any(String),
    });
  });

  test('says nothing', () => {
    expect(answerTo(ask(), HASH, 'empty').text).toBe('');
  });
});
