import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { runProviders } from '../../runner/commands/providers.ts';
import { PROFILES, PROVIDER_KINDS } from '../../runner/spec/profiles.ts';

const ROOT = join(import.meta.dirname, '../..');

async function printed(how: { readonly json?: boolean; readonly markdown?: boolean }): Promise<string> {
  let text = '';
  const out = (more: string) => {
    text += more;
  };
  expect(await runProviders({ json: false, markdown: false, ...how, out })).toBe(0);
  return text;
}

test('every kind of provider and each of its endpoints stands in the table', async () => {
  const text = await printed({});
  for (const kind of PROVIDER_KINDS) {
    expect(text).toContain(PROFILES[kind].title);
    expect(text).toContain(PROFILES[kind].apiKeyEnv);
    for (const { endpoint } of PROFILES[kind].endpoints) expect(text).toContain(endpoint);
  }
});

test('--json follows its schema', async () => {
  const schema = JSON.parse(await readFile(join(ROOT, 'schemas/batchwright/providers.schema.json'), 'utf8'));
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  const document = JSON.parse(await printed({ json: true }));
  validate(document);
  expect(validate.errors).toBeNull();
  expect(document.providers).toHaveLength(PROVIDER_KINDS.length);
});

test('docs/providers/README.md has the tables as they are (else run `batchwright providers --markdown`)', async () => {
  const page = await readFile(join(ROOT, 'docs/providers/README.md'), 'utf8');
  expect(squeezed(page)).toContain(squeezed(await printed({ markdown: true })));
});

/** The formatter aligns the tables of a page. */
function squeezed(markdown: string): string {
  return markdown
    .replaceAll(/ +/g, ' ')
    .replaceAll(/-+/g, '-')
    .replaceAll('| - ', '|-')
    .replaceAll(' |\n', '|\n')
    .trim();
}
