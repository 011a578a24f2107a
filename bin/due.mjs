#!/usr/bin/env node
// Whether a scheduled pass has anything to do, in a fraction of a second and before anything is installed: this file
// needs Node 20 and git, and nothing else. It reads what the last pass has left in state/pass.json and compares it
// with the checkout. Whenever it is in doubt it says yes: a pass too many costs a minute, one too few costs a deadline.
//
//   node due.mjs [--root DIR] [--state DIR] [--now TIME] >> "$GITHUB_OUTPUT"
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { due, reason } = answer();
console.error(`${due ? 'A pass is due' : 'No pass is due'}: ${reason}.`);
console.log(`due=${due ? 'yes' : 'no'}`);

function answer() {
  try {
    const { values } = parseArgs({
      options: { root: { type: 'string' }, state: { type: 'string' }, now: { type: 'string' } },
    });
    const { root = '.', state = 'state', now = new Date().toISOString() } = values;
    const note = JSON.parse(readFileSync(join(root, state, 'pass.json'), 'utf8'));
    return judge(note, root, Date.parse(now));
  } catch (error) {
    // The first line of the message alone: what a file holds has no business in a log.
    const known = error instanceof Error && 'code' in error ? String(error.code) : 'it makes no sense';
    return yes(`what the last pass left cannot be compared with this checkout (${known})`);
  }
}

function judge({ format, seen, next_look: nextLook }, root, now) {
  if (format !== 'batchwright/pass/v1') return yes('the last pass was one of another version');
  if (typeof seen?.digest !== 'string') return yes('not everything that jobs read is in git');
  if (seenNow(root, seen.paths) !== seen.digest) return yes('jobs or what they read have changed');
  if (nextLook === null) return { due: false, reason: 'every job is as git asks for' };
  if (Date.parse(nextLook) > now) return { due: false, reason: `nothing happens before ${nextLook}` };
  return yes('work is under way');
}

function yes(reason) {
  return { due: true, reason };
}

/** As `digestOfTree` of runner/git.ts. A hook's variables would point git at another repository. */
function seenNow(root, paths) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const listing = execFileSync('git', ['ls-tree', '-z', 'HEAD', '--', ...paths], { cwd: root, env });
  return createHash('sha256').update(listing).digest('hex');
}
