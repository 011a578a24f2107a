import { expect, it } from 'vitest';
import { walkThrough } from '../lies/walk.ts';

it('what cannot be understood, and is kept no longer, is not said to be looked at again', async () => {
  const walk = await walkThrough({
    name: 'strange for ever',
    provider: 'gemini',
    days: 6,
    job: 'canary: false\n',
    lies: [{ on: 'download', what: { kind: 'strange_content', content: 'null', count: 1 } }],
    ends: { as: 'told' },
  });
  const last = walk.steps.at(-1)?.report;
  const texts = JSON.stringify([last?.waits, last?.conditions, last?.run?.needs]);
  if (process.env.SHOW) {
    for (const s of walk.said) console.log(s.level, s.text);
    console.log(last?.run?.books, texts);
  }
  expect(last?.run?.books.dispositions.unreadable).toBeUndefined();
  expect(texts).not.toContain('again by');
}, 60_000);
