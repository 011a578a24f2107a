import { copyFile, link, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalFile } from './git-import.ts';
import type { PutSource } from './port.ts';

/** The files of this session on this machine: what it has put, and what it has read. Not durable, and need not be. */
export class GitScratch {
  private readonly folder: string;
  private readonly paths = new Map<string, string>();
  private made = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Where the bytes of a name are, or null. */
  pathOf(name: string): string | null {
    return this.paths.get(name) ?? null;
  }

  has(name: string): boolean {
    return this.paths.has(name);
  }

  keep(name: string, path: string): void {
    this.paths.set(name, path);
  }

  /** Forgets every name below a folder; whoever has a path may go on reading it. */
  forget(folder: string): void {
    for (const name of this.paths.keys()) if (name.startsWith(`${folder}/`)) this.paths.delete(name);
  }

  /** A path of its own for the bytes of this name. */
  async newPath(name: string): Promise<string> {
    this.made += 1;
    const folder = join(this.folder, String(this.made % FOLDERS));
    await mkdir(folder, { recursive: true });
    return join(folder, `${this.made}-${name.slice(name.lastIndexOf('/') + 1)}`);
  }

  /** A copy, by a second name where the file system has them. */
  async take(name: string, source: PutSource): Promise<LocalFile> {
    const path = await this.newPath(name);
    if ('bytes' in source) await writeFile(path, source.bytes);
    else await link(source.path, path).catch(() => copyFile(source.path, path));
    return { path, bytes: (await stat(path)).size };
  }
}

/** Tens of thousands of segments in one folder would be slow on some file systems. */
const FOLDERS = 100;
