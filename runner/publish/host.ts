/** The host's API, and who asks it. */
export interface Host {
  /** Without a slash at the end. */
  readonly apiUrl: string;
  /** `owner/name` */
  readonly repository: string;
  readonly token: string;
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

const TIMEOUT_MS = 20_000;

/**
 * One call of the repository's API; `path` counts from the repository. GitHub REST API, version 2022-11-28.
 * @throws Error with the host's words
 */
export async function askHost(host: Host, method: string, path: string, body?: object): Promise<unknown> {
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
