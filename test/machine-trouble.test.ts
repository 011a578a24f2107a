import { describe, expect, it } from 'vitest';
import { explained } from '../runner/commands/run.ts';
import { DamagedFiles, StateConflict, userError } from '../runner/errors.ts';
import { isDuckError, machineTroubleOf } from '../runner/machine-trouble.ts';

function systemError(code: string, more: object = {}): Error {
  return Object.assign(new Error(`${code}: said by the system, write`), { code, syscall: 'write', ...more });
}

describe('what the machine says', () => {
  it.each([
    ['ENOSPC', 'no-room'],
    ['EDQUOT', 'no-room'],
    ['EFBIG', 'no-room'],
    ['EACCES', 'not-allowed'],
    ['EPERM', 'not-allowed'],
    ['EROFS', 'not-allowed'],
    ['EIO', 'disk-error'],
    ['EMFILE', 'too-many-files'],
  ])('%s by its code', (code, kind) => {
    expect(machineTroubleOf(systemError(code))).toMatchObject({ kind });
    const cause = new Error('the batch was not collected', { cause: systemError(code) });
    expect(machineTroubleOf(cause)).toMatchObject({ kind });
  });

  it.each([
    ['IO Error: Could not write file "/s/x.duckdb": No space left on device', 'no-room'],
    [
      'TransactionContext Error: Failed to commit: Could not write file "/s/x.wal": Disk quota exceeded',
      'no-room',
    ],
    ['IO Error: Could not write file "/s/x": File too large\n\nLINE 1: COPY', 'no-room'],
    ['IO Error: Cannot open file "/s/x.duckdb": Permission denied', 'not-allowed'],
    ['IO Error: Could not read from file "/s/x.duckdb": Input/output error', 'disk-error'],
  ])('DuckDB by its words: %s', (message, kind) => {
    const trouble = machineTroubleOf(new Error(message));
    expect(trouble).toMatchObject({ kind });
    expect(trouble?.message).not.toContain('LINE 1');
  });

  it('names the file where the system does not', () => {
    expect(machineTroubleOf(systemError('ENOSPC', { path: '/s/x' }))?.message).toContain("write '/s/x'");
  });

  it.each([
    ['a mistake of ours', new TypeError('x is not a function')],
    ['a statement that is wrong', new Error('Binder Error: Referenced column "x" not found')],
    [
      'a row with such words',
      new Error("Conversion Error: Could not convert string 'No space left on device' to INT32"),
    ],
    ['a file that is not there', systemError('ENOENT')],
    ['no error at all', 'ENOSPC'],
  ])('is none of it: %s', (_, error) => {
    expect(machineTroubleOf(error)).toBeNull();
  });

  it('knows DuckDB by the form of its messages', () => {
    expect(isDuckError(new Error('IO Error: x'))).toBe(true);
    expect(isDuckError(new Error('Invalid Input Error: No magic bytes'))).toBe(true);
    expect(isDuckError(new Error('Error: x'))).toBe(false);
    expect(isDuckError('IO Error: x')).toBe(false);
  });
});

describe('how a command ends', () => {
  it.each([
    ['a full disk', systemError('ENOSPC'), 1, 'Make room'],
    ['a folder of another user', systemError('EACCES'), 1, 'Let this user read and write there'],
    ['damaged files', new DamagedFiles('run 1: its manifest is missing'), 4, 'Bring it back from a backup'],
    ['state that is gone', new StateConflict('The journal is gone.', 'Bring it back.'), 4, 'Bring it back.'],
    ['a mistake of a person', userError('bad', 'that is no job', 'write another'), 1, 'write another'],
  ])('%s: words, and no stack', async (_, error, code, says) => {
    const told = await explained(error);
    expect(told.code).toBe(code);
    expect(told.text).toContain(says);
    expect(told.text).not.toMatch(/\n\s+at |mistake in itself/);
  });

  it('a mistake of ours: its whole stack, since nobody can help without it', async () => {
    const { code, text } = await explained(new TypeError('x is not a function'));
    expect(code).toBe(1);
    expect(text).toMatch(/mistake in itself[\s\S]*x is not a function\n\s+at /);
  });

  it('what a path says steers no terminal', async () => {
    const { text } = await explained(systemError('ENOSPC', { path: '/s/\u001b[31mx' }));
    expect(text).not.toContain('\u001b');
  });
});
