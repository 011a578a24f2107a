import type { World } from '../face.ts';
import type { AnyCallFault } from '../faults.ts';
import type { Table } from '../state-log.ts';
import { isTerminal, type Stage, stageAt } from './lifecycle.ts';
import type { Progress } from './progress.ts';
import type { BatchRow } from './row.ts';

/** The batches of one provider, as somebody who calls its API can see and change them. */
export interface Register<Row extends BatchRow> {
  /** The number of the caller's next batch. */
  nextNumber(): number;
  /** Stores a new batch and begins with it. The faults and phases of this moment stay its own. */
  add(own: Own<Row>, fault: AnyCallFault): Row;
  /** A batch by its id, once it can be seen. */
  visible(id: string): Promise<Row | null>;
  /** All that are in the list by now, newest first. */
  listed(): Promise<readonly Row[]>;
  /** Where it is now, told to somebody: that it is being cancelled has been seen from then on. */
  shown(row: Row): Stage;
  /** Null where it has come to another end already. */
  cancel(row: Row): Row | null;
}

/** What a face itself says of a new batch. */
export type Own<Row extends BatchRow> = Omit<Row, keyof BatchRow> &
  Pick<BatchRow, 'inputPath' | 'windowMs' | 'foreign'>;

/** @param newId from a text that no other batch has. */
export function createRegister<Row extends BatchRow>(
  world: World,
  rows: Table<Row>,
  progress: Progress<Row>,
  newId: (text: string) => string,
): Register<Row> {
  function nextNumber(): number {
    return 1 + rows.all().filter((row) => !row.foreign).length;
  }

  return {
    nextNumber,
    add(own, fault) {
      const number = own.foreign ? 0 : nextNumber();
      const createdAt = world.clock.now();
      const { seed, phases } = world.scenario();
      const id = newId(`${seed} batch ${rows.size() + 1} ${createdAt}`);
      const common = { ...NEW, id, number, createdAt, phases, fault } satisfies Omit<
        BatchRow,
        'inputPath' | 'windowMs' | 'foreign'
      >;
      // `Own` and these are all fields of a row; the compiler cannot add up an Omit of a type parameter.
      const row = rows.put(id, { ...own, ...common } as unknown as Row);
      progress.follow(row);
      return row;
    },

    async visible(id) {
      await progress.refresh();
      const row = rows.get(id);
      if (row === undefined) return null;
      return world.clock.now() < row.createdAt + (row.fault.not_found_ms ?? 0) ? null : row;
    },

    async listed() {
      await progress.refresh();
      const now = world.clock.now();
      return rows
        .all()
        .filter((row) => now >= row.createdAt + (row.fault.hide_in_list_ms ?? 0))
        .toReversed();
    },

    shown(row) {
      const stage = stageAt(row, world.clock.now());
      if (stage.status === 'cancelling' && !row.cancelSeen) rows.put(row.id, { ...row, cancelSeen: true });
      return stage;
    },

    cancel(row) {
      const { status } = stageAt(row, world.clock.now());
      if (status === 'cancelling' || status === 'cancelled') return row;
      return isTerminal(status) ? null : rows.put(row.id, { ...row, cancelAt: world.clock.now() });
    },
  };
}

const NEW = { verdict: null, cancelAt: null, cancelSeen: false, end: null } as const;
