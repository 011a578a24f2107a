import type { FoundCall, Incoming } from './face.ts';
import type { Reply } from './http.ts';
import type { CallName } from './scenario.ts';

/** One call of a provider's API. */
export interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly on: CallName;
  answer(id: string, incoming: Incoming): Promise<Reply>;
  batch(id: string): number | null;
}

/** `:id` in a path stands for one segment of it. */
export function route(
  method: string,
  path: string,
  on: CallName,
  answer: Route['answer'],
  about: Pick<Route, 'batch'> = { batch: () => null },
): Route {
  return { method, path: new RegExp(`^${path.replace(':id', '([^/]+)')}$`), on, answer, batch: about.batch };
}

export function foundIn(
  routes: readonly Route[],
  method: string | undefined,
  path: string,
): FoundCall | null {
  for (const { path: pattern, method: expected, on, answer, batch } of routes) {
    const match = method === expected ? pattern.exec(path) : null;
    if (match === null) continue;
    const id = match[1] ?? '';
    return { on, batchNumber: () => batch(id), answer: (incoming) => answer(id, incoming) };
  }
  return null;
}
