import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { storedFile } from '../support/reading.ts';
import { lines, repository, TICKETS, world } from '../support/world.ts';

const FILES = ['manifest', 'outcomes'] as const;

it.each(FILES.flatMap((file) => [0, -1, -5, -40].map((at) => ({ file, at }))))(
  'a damaged end of an older file holds its own job back and no other: $file at $at',
  async ({ file, at }) => {
    const files = repository();
    const job = files['jobs/tickets.yaml'] ?? '';
    const w = await world(files);
    await w.finish();
    await w.write({ 'prompts/tickets/user.hbs': 'Label it again: {{text}}\n' });
    await w.finish();
    await w.write({
      'jobs/others.yaml': job
        .replace('name: tickets', 'name: others')
        .replace('tickets.jsonl', 'others.jsonl')
        .replaceAll('prompt: tickets', 'prompt: others'),
      'prompts/others/user.hbs': 'Label: {{text}}\n',
      'data/others.jsonl': lines(TICKETS.map(({ id, text }) => ({ id, text: `Other: ${text}` }))),
    });
    const path = await storedFile(w.root, 'tickets/runs/1', file);
    const bytes = await readFile(path);
    const place = at < 0 ? bytes.length + at : at;
    bytes[place] = (bytes[place] ?? 0) ^ 0x20;
    await writeFile(path, bytes);
    await w.restart();
    await w.finish();
    expect((await w.report('others')).run?.books.dispositions).toEqual({ applied: 8 });
  },
);

it('what a provider says of a row stands on no page that shows no rows', async () => {
  const files = repository();
  const w = await world(
    { ...files, 'batchwright.yaml': `${files['batchwright.yaml']}report: { keys: hashed, samples: 0 }\n` },
    {
      rules: [
        {
          on: 'line',
          do: {
            status: 400,
            code: 'unsupported_value',
            message: "Unsupported value: 'the wheel is bent' is not supported",
          },
        },
      ],
    },
  );
  await w.finish();
  const folder = join(w.root, 'state/tickets');
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(md|json|csv)$/.test(name));
  expect((await w.report()).run?.stop?.reason).toBe('ProviderRejected');
  const found: string[] = [];
  for (const name of [
    ...names.map((each) => join(folder, each)).filter((each) => !each.includes('recipe')),
    join(w.root, 'state/README.md'),
  ])
    if ((await readFile(name, 'utf8')).includes('wheel is bent')) found.push(name.slice(w.root.length));
  expect(found).toEqual([]);
});
