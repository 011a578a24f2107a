import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Common } from '../../runner/commands/common.ts';
import { type Duck, openDuck } from '../../runner/duck.ts';
import { testFolder } from './folder.ts';
import type { World } from './world.ts';

/** What a verb printed and how it ended. */
export interface Printed {
  readonly code: number;
  readonly text: string;
}

/** Runs a verb on a folder and collects what it prints. */
export async function printed(
  root: string,
  run: (common: Common) => Promise<number>,
  json = false,
): Promise<Printed> {
  let text = '';
  const out = (more: string) => {
    text += more;
  };
  return { code: await run({ root, json, color: false, out }), text };
}

/** The same with `--json`, parsed. */
export async function documentOf<Document>(
  root: string,
  run: (common: Common) => Promise<number>,
): Promise<{ readonly code: number; readonly document: Document }> {
  const { code, text } = await printed(root, run, true);
  return { code, document: JSON.parse(text) as Document };
}

/** Gives a copy of one repository with its state to each test that asks, made once a file, in the first of them. */
export function copiesOf(make: () => Promise<World>): () => Promise<string> {
  let kept: Promise<string> | null = null;
  afterAll(async () => {
    if (kept !== null) await rm(await kept, { recursive: true, force: true });
  });

  async function keep(): Promise<string> {
    const made = await make();
    await made.restart();
    const folder = await mkdtemp(join(tmpdir(), 'batchwright-copy-'));
    await cp(made.root, folder, { recursive: true });
    return folder;
  }

  return async () => {
    kept ??= keep();
    const folder = await testFolder();
    await cp(await kept, folder, { recursive: true });
    return folder;
  };
}

/** Everything in the tables of a ledger file, whatever order its rows were written in. */
export async function ledgerContents(path: string): Promise<Record<string, unknown>> {
  const duck = await openDuck({ path });
  try {
    return await contentsOf(duck);
  } finally {
    duck.close();
  }
}

/** The same of one that is open. */
export async function contentsOf(duck: Duck): Promise<Record<string, unknown>> {
  const tables = await duck.rows<{ name: string }>(
    'SELECT table_name AS name FROM duckdb_tables() WHERE NOT internal ORDER BY name',
  );
  const contents: Record<string, unknown> = {};
  for (const { name } of tables) {
    const reader = await duck.connection.runAndReadAll(`SELECT * FROM "${name}" ORDER BY ALL`);
    contents[name] = reader.getRowsJson();
  }
  return contents;
}

/** The first file of that kind in a folder of the store. */
export async function storedFile(root: string, folder: string, kind: string): Promise<string> {
  const names = (await readdir(join(root, 'state', folder))).sort();
  const name = names.find((each) => each.startsWith(`${kind}-`));
  if (name === undefined) throw new Error(`no ${kind} in ${folder}: ${names.join(', ')}`);
  return join(root, 'state', folder, name);
}
