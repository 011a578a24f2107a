import type { Duck } from '../duck.ts';
import { sqlText } from '../duck.ts';
import type { Finding } from '../errors.ts';
import { UserError } from '../errors.ts';
import { isRecord } from './exact-json.ts';

/**
 * Job SQL is exactly one SELECT over `input`. DuckDB's own parser says so, as a tree: a second statement, another
 * table, a function that reads files or settings are found before anything runs. The locked connection in which it
 * runs would refuse files anyway; this gives the reason in our words, and closes what that leaves open (settings
 * hold paths of the machine).
 * @throws UserError with every reason at once.
 */
export async function checkSelect(duck: Duck, sql: string): Promise<void> {
  const [row] = await duck.rows<{ tree: string }>(
    `SELECT json_serialize_sql(${sqlText(sql)})::VARCHAR AS tree`,
  );
  const parsed = JSON.parse(row?.tree ?? '{}') as Parsed;
  const findings = parsed.error === false ? treeFindings(parsed.statements) : [unparsable(parsed)];
  if (findings.length > 0) throw new UserError(findings);
}

type Parsed =
  | { readonly error: false; readonly statements: readonly unknown[] }
  | { readonly error: true; readonly error_type: string; readonly error_message: string };

/** Table functions that make rows of their arguments alone. */
const TABLE_FUNCTIONS = new Set(['unnest', 'range', 'generate_series', 'json_each', 'json_tree', 'repeat']);

/** Scalar functions that tell about the machine or the session. */
const SESSION_FUNCTIONS =
  /^(current_setting|getenv|getvariable|current_query|current_database|current_schemas?|version|write_log|nextval|currval|pg_.*|has_.*_privilege)$/;

function unparsable(parsed: Extract<Parsed, { error: true }>): Finding {
  if (parsed.error_type === 'not implemented') return notOneSelect('found another kind of statement');
  return finding(
    'sql-syntax',
    `input.sql: ${parsed.error_message}`,
    'Write one SELECT over the table `input`.',
  );
}

function treeFindings(statements: readonly unknown[]): Finding[] {
  if (statements.length !== 1) return [notOneSelect(`found ${statements.length} statements`)];
  const tables = new Set<string>(['input']);
  const findings: Finding[] = [];
  for (const node of nodesOf(statements)) {
    for (const name of withNames(node)) tables.add(name.toLowerCase());
  }
  for (const node of nodesOf(statements)) {
    const found = nodeFinding(node, tables);
    if (found !== null) findings.push(found);
  }
  return findings;
}

function nodeFinding(node: Node, tables: ReadonlySet<string>): Finding | null {
  if (node.type === 'SHOW_REF') return notOneSelect('found SHOW, DESCRIBE or SUMMARIZE');
  if (node.type === 'BASE_TABLE') {
    const name = String(node.table_name);
    return tables.has(name.toLowerCase()) && ['', 'main'].includes(String(node.schema_name))
      ? null
      : otherTable(name);
  }
  if (node.type === 'TABLE_FUNCTION') {
    const name = isRecord(node.function) ? String(node.function.function_name) : '';
    return TABLE_FUNCTIONS.has(name.toLowerCase()) ? null : otherFunction(name);
  }
  if (node.class === 'FUNCTION' && SESSION_FUNCTIONS.test(String(node.function_name).toLowerCase())) {
    return otherFunction(String(node.function_name));
  }
  return null;
}

type Node = Readonly<Record<string, unknown>>;

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const inner of value) yield* nodesOf(inner);
  if (!isRecord(value)) return;
  yield value;
  for (const inner of Object.values(value)) yield* nodesOf(inner);
}

/** Names that a WITH clause gives. */
function withNames(node: Node): string[] {
  const map = isRecord(node.cte_map) ? node.cte_map.map : null;
  return Array.isArray(map) ? map.filter(isRecord).map((entry) => String(entry.key)) : [];
}

function notOneSelect(found: string): Finding {
  const hint =
    'A job reads its input and nothing else; other work belongs in the step that writes the input.';
  return finding('sql-not-select', `input.sql: expected exactly one SELECT, ${found}`, hint);
}

function otherTable(name: string): Finding {
  const hint = 'The files of `input.files` are the table `input`.';
  return finding('sql-table', `input.sql: reads ${JSON.stringify(name)}; only \`input\` can be read`, hint);
}

function otherFunction(name: string): Finding {
  const hint = 'What a run is made of must all be in the input files.';
  return finding('sql-function', `input.sql: the function ${name} is not allowed here`, hint);
}

function finding(code: string, message: string, hint: string): Finding {
  return { level: 'error', code, message, hint };
}
