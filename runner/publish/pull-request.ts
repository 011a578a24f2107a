import { askHost, type Host } from './host.ts';

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly isNew: boolean;
}

/**
 * One open pull request from `head` into `base`, made where there is none; its branch is the news, so an open one is left
 * as it is but for its title. GitHub REST API, "Pulls" (version 2022-11-28).
 * @throws Error with the host's words
 */
export async function ensurePullRequest(
  host: Host,
  order: { readonly head: string; readonly base: string; readonly title: string; readonly body: string },
): Promise<PullRequest> {
  const owner = host.repository.slice(0, host.repository.indexOf('/'));
  const query = new URLSearchParams({ state: 'open', head: `${owner}:${order.head}`, base: order.base });
  const open = await askHost(host, 'GET', `/pulls?${query}`);
  const [known] = Array.isArray(open) ? open.map(pullOf).filter((pull) => pull !== null) : [];
  const { title, body } = order;
  if (known !== undefined) {
    await askHost(host, 'PATCH', `/pulls/${known.number}`, { title });
    return { ...known, isNew: false };
  }
  const made = pullOf(
    await askHost(host, 'POST', '/pulls', { title, body, head: order.head, base: order.base }),
  );
  if (made === null) throw new Error('the host made no pull request that can be read');
  return { ...made, isNew: true };
}

function pullOf(value: unknown): { readonly number: number; readonly url: string } | null {
  if (typeof value !== 'object' || value === null) return null;
  const { number, html_url: url } = value as { number?: unknown; html_url?: unknown };
  return typeof number === 'number' && typeof url === 'string' ? { number, url } : null;
}
