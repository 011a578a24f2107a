import { code, joined, type Markdown, md } from './escape.ts';
import type { RunReport } from './report.ts';
import { count, shortHex } from './text.ts';

/** From what, by which rules and by whose account: enough to find each part again. */
export function provenanceSection({ provenance: from, generation }: RunReport): Markdown {
  const parts = [
    commit(from.commit, from.dirty),
    md`generation ${count(generation)}`,
    md`prompt ${hex(from.prompt)}`,
    ...(from.schema === null ? [] : [md`schema ${hex(from.schema)}`]),
    md`source ${hex(from.source)}`,
    md`manifest ${hex(from.manifest)}`,
    md`journal 1–${count(from.journalSeq)}, head ${hex(from.journalHead)}`,
    md`account ${code(from.account)}`,
    md`remote files deleted ${count(from.remoteFilesDeleted)} of ${count(from.remoteFiles)}`,
  ];
  return md`## Provenance\n\n${joined(parts, ' · ')}`;
}

function commit(id: string | null, dirty: boolean): Markdown {
  const at = id === null ? md`no commit` : md`commit ${code(id.slice(0, 10))}`;
  return dirty ? md`${at}, **with changes that no commit holds**` : at;
}

function hex(digest: string): Markdown {
  return code(shortHex(digest));
}
