import { createReadStream } from 'node:fs';
import { treePathsOf } from './git-layout.ts';

/** A file of the store as it lies in a tree: one object, or several in a row. */
export interface GitEntry {
  readonly objects: readonly { readonly oid: string; readonly bytes: number }[];
}
export type GitEntries = ReadonlyMap<string, GitEntry>;

/** A file on this machine that is to be in a commit. */
export interface LocalFile {
  readonly path: string;
  readonly bytes: number;
}

export interface NewCommit {
  readonly parent: string | null;
  readonly message: string;
  readonly at: Date;
  readonly files: ReadonlyMap<string, LocalFile>;
}

/** What `git fast-import` reads: the files, then a commit that holds them. The ref exists only while it runs. */
export async function* importStream(order: NewCommit, partBytes: number): AsyncGenerator<Uint8Array> {
  const marked: string[] = [];
  for (const [name, file] of order.files) {
    for (const { path, start, end } of treePathsOf(name, file.bytes, partBytes)) {
      marked.push(path);
      yield Buffer.from(`blob\nmark :${marked.length}\ndata ${end - start}\n`);
      if (end > start) yield* createReadStream(file.path, { start, end: end - 1, highWaterMark: 1 << 20 });
      yield Buffer.from('\n');
    }
  }
  const message = Buffer.from(order.message);
  const lines = [
    `commit ${STAGE}`,
    `mark :${marked.length + 1}`,
    `committer batchwright <batchwright@localhost> ${Math.floor(order.at.getTime() / 1000)} +0000`,
    `data ${message.length}`,
    order.message,
    ...(order.parent === null ? [] : [`from ${order.parent}`]),
    ...marked.map((path, index) => `M 100644 :${index + 1} ${quoted(path)}`),
    `get-mark :${marked.length + 1}`,
    ...marked.map((_, index) => `get-mark :${index + 1}`),
    `reset ${STAGE}`,
    `from ${'0'.repeat(40)}`,
    'done',
  ];
  yield Buffer.from(`${lines.join('\n')}\n`);
}

const STAGE = 'refs/staged/commit';

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** `oids` in the order in which the files and their parts were written. */
export function entriesOf(order: NewCommit, partBytes: number, oids: readonly string[]): GitEntries {
  let at = 0;
  const entries = new Map<string, GitEntry>();
  for (const [name, file] of order.files) {
    const objects = treePathsOf(name, file.bytes, partBytes).map(({ start, end }) => {
      at += 1;
      return { oid: oids[at - 1] ?? '', bytes: end - start };
    });
    entries.set(name, { objects });
  }
  return entries;
}
