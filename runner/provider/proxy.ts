import http from 'node:http';
import { userError } from '../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that count, by the name that Node gives them; the lower-case one wins, as in curl. */
const VARIABLES = {
  http_proxy: ['http_proxy', 'HTTP_PROXY'],
  https_proxy: ['https_proxy', 'HTTPS_PROXY'],
  no_proxy: ['no_proxy', 'NO_PROXY'],
} as const;

/** Never through a proxy: the emulator is on this machine, and a proxy's own localhost is another one. */
const LOOPBACK = 'localhost,127.0.0.1,::1,[::1]';

/**
 * Sends this process's calls through the proxy that the environment names, if it names one. Node's fetch would ignore
 * it (openai-node#1758), and a fetch of our own would break the SDK's uploads. For the whole process, since that is
 * what Node offers; called again with the same environment it changes nothing.
 * @returns what to say with every network error; null where there is no proxy
 * @throws UserError where the value is no URL; its text is not shown, since it may hold a password
 */
export function useProxies(env: Environment): string | null {
  const variable = firstSet(env, [...VARIABLES.https_proxy, ...VARIABLES.http_proxy]);
  if (variable === null) return null;
  // Node 22 has no such function: there only its own variable works, and only from the start.
  if (typeof http.setGlobalProxyFromEnv !== 'function') return hintForOldNode(variable, env);
  const wanted = wantedOf(env);
  const key = JSON.stringify(wanted);
  if (key !== inUse) setProxies(wanted, variable);
  inUse = key;
  return `calls go through the proxy that ${variable} names`;
}

let inUse: string | null = null;

function wantedOf(env: Environment): Record<string, string> {
  const wanted: Record<string, string> = {};
  for (const [name, variables] of Object.entries(VARIABLES)) {
    const value = textOf(env, firstSet(env, variables));
    if (value !== '') wanted[name] = value;
  }
  wanted.no_proxy = [wanted.no_proxy, LOOPBACK].filter((part) => part !== undefined).join(',');
  return wanted;
}

function firstSet(env: Environment, variables: readonly string[]): string | null {
  return variables.find((variable) => textOf(env, variable) !== '') ?? null;
}

function textOf(env: Environment, variable: string | null): string {
  return variable === null ? '' : (env[variable]?.trim() ?? '');
}

function setProxies(wanted: Record<string, string>, variable: string): void {
  try {
    http.setGlobalProxyFromEnv(wanted);
  } catch {
    throw userError(
      'proxy-unusable',
      `The value of ${variable} is not the URL of a proxy.`,
      `Write it as http://host:port, or http://user:password@host:port, or unset ${variable}.`,
    );
  }
}

function hintForOldNode(variable: string, env: Environment): string | null {
  if (env.NODE_USE_ENV_PROXY === '1') return `calls go through the proxy that ${variable} names`;
  return `${variable} is set, but this Node uses it only with NODE_USE_ENV_PROXY=1`;
}
