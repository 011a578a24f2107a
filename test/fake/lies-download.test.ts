import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FILE_LIES, REFUSALS } from './catalogue.ts';
import { MINUTE } from './clock.ts';
import { type Driver, drive, type Got, readId, readLines } from './drive.ts';
import type { FileLie } from './lies.ts';
import type { ProviderName } from './model.ts';
import { type Fake, startFake } from './server.ts';

const PROMPTS = ['one', 'two', 'three'];
const PROVIDERS: ProviderName[] = ['openai', 'anthropic', 'gemini'];

let fake: Fake;
beforeEach(async () => {
  fake = await startFake();
});
afterEach(() => fake.close());

/** A batch that has ended, and the path of its results. */
async function makeEnded(driver: Driver): Promise<{ id: string; path: string; truth: string }> {
  const id = readId(await driver.create(PROMPTS));
  fake.clock.advance(11 * MINUTE);
  const path = driver.findResults((await driver.look(id)).json)[0] as string;
  const truth = fake.truth.resultsOf(id);
  return { id, path, truth: truth.map(({ text }) => `${text}\n`).join('') };
}

function readKeys(text: string): unknown[] {
  return readLines(text).map((line) => line?.custom_id ?? line?.key);
}

describe.each(PROVIDERS)('downloads from %s', (provider) => {
  let driver: Driver;
  beforeEach(() => {
    driver = drive(fake, provider);
  });

  async function hear(what: FileLie): Promise<{ got: Got; truth: string; path: string }> {
    const { path, truth } = await makeEnded(driver);
    fake.liar.tell({ on: 'download', what, times: 1 });
    return { got: await driver.download(path), truth, path };
  }

  it('the truth is told whole', async () => {
    const { path, truth } = await makeEnded(driver);
    const got = await driver.download(path);
    expect(got.text).toBe(truth);
    expect(got.headers.get('content-length')).toBe(String(truth.length));
    await driver.drop(path);
    expect(fake.truth.discardedUnread()).toEqual([]);
  });

  it.each(Object.entries(FILE_LIES))('%s: status 200, and not the truth', async (_name, what) => {
    const { got, truth } = await hear(what);
    expect(got.status).toBe(200);
    expect(got.text).not.toBe(truth);
    expect(got.broken !== null).toBe(what.kind === 'reset_midway');
    const chunked = 'framing' in what && what.framing === 'chunked';
    expect(got.headers.has('content-length')).toBe(!chunked);
    if (what.kind !== 'reset_midway' && !chunked)
      expect(got.headers.get('content-length')).toBe(String(Buffer.byteLength(got.text)));
  });

  it('after a lie for one time the truth is told', async () => {
    const { path, truth } = await hear({ kind: 'null_ids' });
    expect((await driver.download(path)).text).toBe(truth);
  });

  it.each([
    ['ids are null', [null, null, null].map(() => undefined)],
    ['lines of somebody else', ['someone-else_0', 'someone-else_1', 'someone-else_2']],
  ] as const)('%s: no id is ours', async (name, keys) => {
    const { got } = await hear(FILE_LIES[name]);
    expect(readKeys(got.text).map((key) => key ?? undefined)).toEqual(keys);
  });

  it('renamed ids are none of ours', async () => {
    const { got } = await hear({ kind: 'renamed_ids' });
    for (const key of readKeys(got.text)) expect(key).toMatch(/renamed$/);
  });

  it.each([1, 2, 3])('the last %i lines are missing', async (count) => {
    const { got, truth } = await hear({ kind: 'missing_lines', count });
    expect(truth.startsWith(got.text)).toBe(true);
    expect(readLines(got.text)).toHaveLength(3 - count);
  });

  it.each(['a line is cut', 'a line is cut, in chunks'] as const)('%s in its middle', async (name) => {
    const { got, truth } = await hear(FILE_LIES[name]);
    expect(truth.startsWith(got.text)).toBe(true);
    expect(readLines(got.text).map((line) => line === undefined)).toEqual([false, false, true]);
  });

  it('a reset leaves a part of the body', async () => {
    const { got, truth } = await hear({ kind: 'reset_midway' });
    expect(got.text.length).toBeLessThan(truth.length);
    expect(truth.startsWith(got.text)).toBe(true);
  });

  it('rubbish stands among good lines, or in the place of one', async () => {
    const { got } = await hear({ kind: 'rubbish_line', at: 1 });
    expect(readLines(got.text).map((line) => line === undefined)).toEqual([false, true, false, false]);
    fake.liar.tell({ on: 'download', what: { kind: 'rubbish_line', at: 1, instead: true } });
    const { path } = await makeEnded(driver);
    const other = await driver.download(path);
    expect(readLines(other.text).map((line) => line === undefined)).toEqual([false, true, false]);
  });

  it.each([
    ['one content is empty', {}, 1],
    ['all contents are empty', {}, 3],
    ['all contents are null', null, 3],
    ['all contents are prose', expect.stringContaining('degraded'), 3],
    ['contents are JSON text', expect.stringMatching(/^\{.*\}$/), 3],
  ] as const)('%s, under the right ids', async (name, content, count) => {
    const { got } = await hear(FILE_LIES[name]);
    expect(readKeys(got.text).sort()).toEqual(['k0', 'k1', 'k2']);
    const contents = readLines(got.text).map(readContent);
    expect(contents.slice(0, count)).toEqual(Array(count).fill(content));
    for (const other of contents.slice(count)) expect(other).toMatchObject({});
  });

  it('twins have one id, and differ in what they answer', async () => {
    const { got } = await hear({ kind: 'twin', at: 0 });
    const [one, , , twin] = readLines(got.text);
    expect(one?.custom_id ?? one?.key).toBe(twin?.custom_id ?? twin?.key);
    expect(JSON.stringify(one)).toContain('true');
    expect(JSON.stringify(twin)).toContain('\\"sure\\":false');
  });

  it.each(Object.entries(REFUSALS))('%s', async (_name, what) => {
    const { path, truth } = await makeEnded(driver);
    fake.liar.tell({ on: 'download', what, times: 1 });
    const got = await driver.download(path);
    expect(got.status).toBe(what.kind === 'status' ? what.code : what.kind === 'reset' ? 0 : 200);
    expect(got.broken !== null).toBe(what.kind === 'reset');
    expect(got.text).not.toContain('wheel');
    if (what.kind === 'empty') expect(got.headers.get('content-length')).toBe('0');
    if (what.kind === 'json_error') expect(got.json).toMatchObject({ error: {} });
    expect((await driver.download(path)).text).toBe(truth);
  });

  it.each([
    ...Object.entries(REFUSALS),
    ...Object.entries(FILE_LIES).filter(([, what]) => !READABLE.includes(what.kind)),
  ])('%s does not count as delivered', async (_name, what) => {
    const { id, path } = await makeEnded(driver);
    fake.liar.tell({ on: 'download', what });
    await driver.download(path);
    await driver.drop(path);
    expect(fake.truth.discardedUnread()).toMatchObject([{ batch: id, deliveredWhole: false }]);
  });

  it.each(Object.entries(FILE_LIES).filter(([, what]) => READABLE.includes(what.kind)))(
    '%s: nothing of the truth is lost, so it counts as delivered, unless the line itself is gone',
    async (name, what) => {
      const { path } = await makeEnded(driver);
      fake.liar.tell({ on: 'download', what });
      await driver.download(path);
      await driver.drop(path);
      const lost = name.includes('in place of') || name === 'lines of somebody else';
      expect(fake.truth.discardedUnread()).toHaveLength(lost ? 1 : 0);
    },
  );
});

/** All that a file says can still be read from what these lies make of it. */
const READABLE: string[] = [
  'rubbish_line',
  'blank_line',
  'no_final_newline',
  'content_as_text',
  'twin',
  'foreign_lines',
];

function readContent(line: unknown): unknown {
  const value = line as { response?: { body?: unknown }; result?: { message: unknown } };
  if (value.result !== undefined) return value.result.message;
  return value.response !== null && typeof value.response === 'object' && 'body' in value.response
    ? value.response.body
    : value.response;
}
