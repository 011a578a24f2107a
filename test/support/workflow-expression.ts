/** What `${{ … }}` can name: `github`, `inputs`, `steps`, `needs`, `secrets`, `vars`, `env`, `runner`. */
export type Names = Readonly<Record<string, unknown>>;

/** How the job stands, for `cancelled()` and its like. */
export interface Standing {
  readonly failed: boolean;
}

/** Texts with expressions in them; a text that is one expression keeps its type. */
export function filled(text: unknown, names: Names, standing: Standing = { failed: false }): unknown {
  if (typeof text !== 'string') return text;
  const [, alone] = /^\$\{\{([^}]*)\}\}$/.exec(text.trim()) ?? [];
  if (alone !== undefined) return evaluate(alone, names, standing);
  return text.replaceAll(/\$\{\{([^}]*)\}\}/g, (_all, expression: string) =>
    String(evaluate(expression, names, standing)),
  );
}

/** An `if:`: without a word about the job's standing it means "and nothing failed". */
export function holds(condition: unknown, names: Names, standing: Standing): boolean {
  if (condition === undefined) return !standing.failed;
  const text = String(condition)
    .trim()
    .replace(/^\$\{\{([\s\S]*)\}\}$/, '$1');
  const asksStanding = /\b(always|cancelled|failure|success)\(\)/.test(text);
  return Boolean(evaluate(text, names, standing)) && (asksStanding || !standing.failed);
}

const TOKEN = /\s*('(?:[^']|'')*'|[A-Za-z_][\w-]*(?:\.[\w-]+)*(?:\(\))?|&&|\|\||[=!]=|[!()])/y;

/**
 * As much of GitHub's expression language as our workflows use: names, texts, comparison, and, or, not, and the
 * functions of standing. What is not there is empty.
 * @throws Error for anything else, so that a workflow cannot come to use what is not tried
 */
export function evaluate(expression: string, names: Names, standing: Standing): unknown {
  const text = expression.trim();
  const tokens: string[] = [];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.length; ) {
    const [, token] = TOKEN.exec(text) ?? [];
    if (token === undefined) throw new Error(`not an expression that is known here: ${text}`);
    tokens.push(token);
  }
  const parser = parserOf(tokens, names, standing);
  const value = parser.or();
  if (tokens.length > 0) throw new Error(`not an expression that is known here: ${text}`);
  return value;
}

function parserOf(tokens: string[], names: Names, standing: Standing) {
  const taken = (token: string) => tokens[0] === token && tokens.shift() !== undefined;

  function or(): unknown {
    let value = and();
    while (taken('||')) {
      const other = and();
      value = value || other;
    }
    return value;
  }

  function and(): unknown {
    let value = equal();
    while (taken('&&')) {
      const other = equal();
      value = value && other;
    }
    return value;
  }

  function equal(): unknown {
    const value = unary();
    if (taken('==')) return String(value) === String(unary());
    if (taken('!=')) return String(value) !== String(unary());
    return value;
  }

  function unary(): unknown {
    if (taken('!')) return !unary();
    if (taken('(')) {
      const value = or();
      if (!taken(')')) throw new Error('a bracket is not closed');
      return value;
    }
    return named(tokens.shift() ?? '', names, standing);
  }

  return { or };
}

function named(token: string, names: Names, { failed }: Standing): unknown {
  if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
  if (token === 'true' || token === 'false') return token === 'true';
  if (token === 'always()') return true;
  if (token === 'cancelled()') return false;
  if (token === 'success()') return !failed;
  if (token === 'failure()') return failed;
  if (!/^[A-Za-z_][\w.-]*$/.test(token)) throw new Error(`not known here: ${token}`);
  const [context = '', ...path] = token.split('.');
  if (!(context in names)) throw new Error(`there is no context ${context} here`);
  let value: unknown = names[context];
  for (const step of path) value = (value as Record<string, unknown> | undefined | null)?.[step];
  return value ?? '';
}
