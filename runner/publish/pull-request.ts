/** The host's API, as far as a rolling pull request needs it. */
export interface Host {
  /** Without a slash at the end. */
  readonly apiUrl: string;
  /** `owner/name` */
  readonly repository: string;
  readonly token: string;
}

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly isNew: boolean;
}

/** Of a runner on GitHub: what it puts into the environment. Null where something is missing, with its name. */
export function hostOf(
  env: Readonly<Record<string, string | undefined>>,
  tokenEnv: string,
): Host | { readonly missing: string } {
  const repository = env.GITHUB_REPOSITORY ?? '';
  const token = env[tokenEnv]?.trim() ?? '';
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) return { missing: 'GITHUB_REPOSITORY' };
  if (token === '') return { missing: tokenEnv };
  return { apiUrl: (env.GITHUB_API_URL ?? 'https://api.github.com').replace(/\/+$/, ''), repository, token };
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
  const open = await asked(host, 'GET', `/pulls?${query}`);
  const [known] = Array.isArray(open) ? open.map(pullOf).filter((pull) => pull !== null) : [];
  const { title, body } = order;
  if (known !== undefined) {
    await asked(host, 'PATCH', `/pulls/${known.number}`, { title });
    return { ...known, isNew: false };
  }
  const made = pullOf(
    await asked(host, 'POST', '/pulls', { title, body, head: order.head, base: order.base }),
  );
  if (made === null) throw new Error('the host made no pull request that can be read');
  return { ...made, isNew: true };
}

function pullOf(value: unknown): { readonly number: number; readonly url: string } | null {
  if (typeof value !== 'object' || value === null) return null;
  const { number, html_url: url } = value as { number?: unknown; html_url?: unknown };
  return typeof number === 'number' && typeof url === 'string' ? { number, url } : null;
}

const TIMEOUT_MS = 20_000;

async function asked(host: Host, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${host.apiUrl}/repos/${host.repository}${path}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${host.token}`,
      'x-github-api-version': '2022-11-28',
      'user-agent': 'batchwright',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'error',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the host answered ${answer.status}: ${wordsOf(text)}`);
  return text === '' ? null : JSON.parse(text);
}

function wordsOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === 'string') return message.slice(0, 300);
  } catch {
    // A gateway's page: its first words do.
  }
  return text.replaceAll(/\s+/g, ' ').slice(0, 300);
}
