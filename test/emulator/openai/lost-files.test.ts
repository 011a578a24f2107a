import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../../runner/emulator/scenario.ts';
import { HOUR_MS, poll, requestLines, results, runBatch, startStill } from '../../support/emulator.ts';

function firstBatch(fault: object, more: NonNullable<Scenario['rules']> = []): Scenario {
  return { rules: [{ on: 'create', do: fault }, ...more] };
}

describe('result files that are lost', () => {
  test('B053, B063: an error file, errors or not', async () => {
    const errors = [{ on: 'line', line: 2, do: { status: 500 } }] as const;
    await using emulator = await startStill(firstBatch({ error_file: 'dropped' }, [...errors]));
    const batch = await runBatch(emulator, requestLines(3));
    expect(batch).toMatchObject({ status: 'completed', error_file_id: null });
    expect(await results(emulator, batch.output_file_id)).toHaveLength(2);
    expect(batch.request_counts).toEqual({ total: 3, completed: 2, failed: 1 });
  });

  test('B053: both', async () => {
    await using emulator = await startStill(firstBatch({ output_file: 'dropped', error_file: 'dropped' }));
    expect(await runBatch(emulator, requestLines(3))).toMatchObject({
      status: 'completed',
      output_file_id: null,
      error_file_id: null,
    });
  });

  test('or come late', async () => {
    await using emulator = await startStill(firstBatch({ files_after_ms: 2 * HOUR_MS }));
    const batch = await runBatch(emulator, requestLines(3));
    expect(batch).toMatchObject({ status: 'completed', output_file_id: null });
    emulator.clock.advance(2 * HOUR_MS);
    const later = await poll(emulator, batch.id);
    expect(await results(emulator, later.output_file_id)).toHaveLength(3);
  });
});

test('B047: a state by a word of its own, until the end', async () => {
  await using emulator = await startStill(
    firstBatch({ state_word: 'paused', stuck: 'in_progress', stuck_for_ms: HOUR_MS }),
  );
  const batch = await runBatch(emulator, requestLines(1), 1_000);
  expect(batch.status).toBe('paused');
  emulator.clock.advance(2 * HOUR_MS);
  expect(await poll(emulator, batch.id)).toMatchObject({ status: 'completed' });
});

test('a line may be any text, with the id where it is asked for', async () => {
  await using emulator = await startStill({
    rules: [
      {
        on: 'line',
        line: 1,
        do: { text: '{"custom_id":"{custom_id}","n":"$&"}\n{"custom_id":"{custom_id}"}' },
      },
      { on: 'line', line: 2, do: { text: '', file: 'error' } },
    ],
  });
  const batch = await runBatch(emulator, requestLines(2));
  expect(await results(emulator, batch.output_file_id)).toEqual([
    { custom_id: 'r-1', n: '$&' },
    { custom_id: 'r-1' },
  ]);
  expect(batch.error_file_id).toBeNull();
});
