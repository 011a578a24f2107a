/**
 * How names of the store lie on refs. The journal has a ref, each run has one for its files, so that a run can be
 * dropped by deleting it; what belongs to no run is on a third. Pure.
 */
export interface GitLayout {
  readonly journal: string;
  /** The ref that holds, or would hold, this name. */
  refOf(name: string): string;
  /** False where no name on this ref can start with `prefix`. */
  mayHold(ref: string, prefix: string): boolean;
}

/** `prefix`: `refs/heads/batch-state`. */
export function gitLayout(prefix: string): GitLayout {
  const journal = `${prefix}/journal`;
  const others = `${prefix}/files`;
  return {
    journal,
    refOf(name) {
      if (name.startsWith('journal/')) return journal;
      const [, job, run] = RUN_NAME.exec(name) ?? [];
      return job === undefined ? others : `${prefix}/runs/${job}/${run}`;
    },
    mayHold(ref, wanted) {
      if (ref === others) return true;
      const [job, run] = ref.slice(`${prefix}/runs/`.length).split('/');
      const folder = ref === journal ? 'journal/' : `${job}/runs/${run}/`;
      return folder.startsWith(wanted) || wanted.startsWith(folder);
    },
  };
}

const RUN_NAME = /^([a-z0-9][a-z0-9-]*)\/runs\/(\d+)\/./;

/**
 * GitHub blocks files of more than 100 MB and warns from 50 MB on (docs.github.com, "About large files on GitHub",
 * 2026-11); other hosts have their own limits, mostly higher.
 */
export const PART_BYTES = 45_000_000;

/** The paths in the tree under which a file of so many bytes lies, with the piece of it that each holds. */
export function treePathsOf(name: string, bytes: number, partBytes: number): TreePath[] {
  if (bytes <= partBytes) return [{ path: treePathOf(name), start: 0, end: bytes }];
  return Array.from({ length: Math.ceil(bytes / partBytes) }, (_, index) => ({
    path: `${treePathOf(name)}.parts/${String(index).padStart(5, '0')}`,
    start: index * partBytes,
    end: Math.min(bytes, (index + 1) * partBytes),
  }));
}

export interface TreePath {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

/** A hundred segments a folder: each append writes the trees above it anew, and these stay small that way. */
function treePathOf(name: string): string {
  return name.replace(/^journal\/(\d{6})(\d{2}\.jsonl)$/, 'journal/$1/$1$2');
}

/** The name of the file that a path of the tree is, or is a part of. */
export function nameAt(path: string): string {
  return path.replace(/\.parts\/\d{5}$/, '').replace(/^journal\/\d{6}\/(\d{8}\.jsonl)$/, 'journal/$1');
}
