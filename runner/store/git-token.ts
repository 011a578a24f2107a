import { userError } from '../errors.ts';
import type { Checkout, GitSetting } from './git-checkout.ts';

/**
 * The checkout with a token in place of its own credentials, as `actions/checkout` gives one to git: a header in the
 * settings, which travel in the environment, so that no command line and no file holds it.
 * `variable`: the environment variable that holds it; null: the checkout's own credentials, a password in the address in
 * such a header too.
 * @throws UserError where the variable is empty, or the remote would not keep the token secret
 */
export function withToken(
  checkout: Checkout,
  variable: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Checkout {
  const url = URL.canParse(checkout.url) ? new URL(checkout.url) : null;
  if (variable === null) return url === null ? checkout : withPasswordAside(checkout, url);
  if (url === null || !keepsSecrets(url))
    throw userError(
      'store-token',
      `\`store.token_env\` names ${variable}, but the remote's address does not begin with https://`,
      'use an https remote, or leave `token_env` out: ssh has keys of its own',
    );
  const token = env[variable];
  if (token === undefined || token.trim() === '')
    throw userError(
      'store-token',
      `\`store.token_env\` names ${variable}, and there is no such variable here`,
      `set it to a token that may write to the repository, as in \`${variable}: \${{ github.token }}\``,
    );
  return withHeader(checkout, url, `x-access-token:${token.trim()}`);
}

/** A password in the address would stand on the command line of each call, for whoever else is on this machine. */
function withPasswordAside(checkout: Checkout, url: URL): Checkout {
  if (url.password === '' || !/^https?:$/.test(url.protocol)) return checkout;
  return withHeader(checkout, url, `${plain(url.username)}:${plain(url.password)}`);
}

function plain(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function withHeader(checkout: Checkout, url: URL, secret: string): Checkout {
  const key = `http.${url.origin}/.extraheader`;
  const value = `AUTHORIZATION: basic ${Buffer.from(secret).toString('base64')}`;
  return { url: withoutUser(url), config: [...checkout.config.filter(isNoCredential), [key, value]] };
}

/** Two authorizations in one request are refused by the host. */
function isNoCredential([key]: GitSetting): boolean {
  return !key.startsWith('credential.') && !/^http\..*extraheader$/.test(key);
}

function keepsSecrets(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname));
}

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

function withoutUser(url: URL): string {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare.href;
}
