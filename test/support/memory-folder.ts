import { readFileSync, statfsSync } from 'node:fs';

const FOLDER = '/dev/shm';
/** The largest test writes some 2 GB; less than this is a container's small share. */
const ROOM_BYTES = 8e9;

/**
 * A file system in memory for the folders of tests, which live for seconds: a sixth of the time of a test is spent on
 * making things durable. Null where there is none with room in it, or where no program may be run from it.
 */
export function memoryFolder(): string | null {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === FOLDER);
    const { bavail, bsize } = statfsSync(FOLDER);
    return mount?.startsWith('tmpfs') && !mount.includes('noexec') && bavail * bsize > ROOM_BYTES
      ? FOLDER
      : null;
  } catch {
    return null;
  }
}
