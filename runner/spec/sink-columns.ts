import type { JsonObject } from '../ids.ts';
import { answerSchema } from './answer-schema.ts';
import type { Job } from './job.ts';
import type { RuleNote } from './rule.ts';
import { isObject } from './schema-walk.ts';

/** Columns that every sink has, and that of a sink that marks; published in the documentation of the sinks. */
const OWN = ['_run', '_custom_id', '_model', '_hash'];
const MARK = '_retired';

/**
 * Key columns, passed columns and the schema's properties stand side by side in a sink, and DuckDB does not tell
 * `Id` from `id`. Said here, since the sink itself would say so when the answers are paid for.
 */
export function sinkColumnNotes(job: Job, schema: JsonObject | null): RuleNote[] {
  const names = answerColumns(job, schema);
  const own = job.sinks.some(({ onRemoved }) => onRemoved === 'mark') ? [...OWN, MARK] : OWN;
  const answer = new Map([...names, ...own].map((name) => [fold(name), name]));
  return [
    ...ownNotes(names, own),
    ...propertyNotes(names),
    ...(['key', 'pass'] as const).flatMap((field) =>
      job.input[field].flatMap((name, index) => {
        const other = answer.get(fold(name));
        return other === undefined ? [] : [clash(field, index, name, other)];
      }),
    ),
  ];
}

function ownNotes(properties: readonly string[], own: readonly string[]): RuleNote[] {
  return properties
    .filter((name) => own.includes(fold(name)))
    .map((name) => ({
      path: ['output', 'schema'],
      code: 'sink-column-clash',
      message: `\`${fold(name)}\` is a column that the sinks have; the schema's property \`${name}\` cannot be another.`,
      hint: 'Rename the property.',
    }));
}

/** Both would show when the answers are paid for: DuckDB has no column without a name, and no text with U+0000. */
function propertyNotes(names: readonly string[]): RuleNote[] {
  const seen = new Map<string, string>();
  return names.flatMap((name): RuleNote[] => {
    const other = seen.get(fold(name));
    seen.set(fold(name), name);
    if (other !== undefined) return [propertyClash(other, name)];
    return name === '' || name.includes('\u0000') ? [unnamable(name)] : [];
  });
}

function propertyClash(one: string, other: string): RuleNote {
  return {
    path: ['output', 'schema'],
    code: 'sink-column-clash',
    message: `The schema's properties \`${one}\` and \`${other}\` would be one column in the sinks, which do not tell upper from lower case.`,
    hint: 'Rename one of them.',
  };
}

function unnamable(name: string): RuleNote {
  return {
    path: ['output', 'schema'],
    code: 'sink-column-name',
    message: `The schema's property ${JSON.stringify(name)} cannot name a column in the sinks.`,
    hint: 'Rename it.',
  };
}

function answerColumns({ output }: Job, own: JsonObject | null): readonly string[] {
  if (output.kind === 'embedding') return ['embedding'];
  const schema = answerSchema(output, own);
  const properties = isObject(schema?.properties) ? Object.keys(schema.properties) : [];
  return properties.length > 0 ? properties : ['answer'];
}

function fold(name: string): string {
  return name.toLowerCase();
}

function clash(field: 'key' | 'pass', index: number, name: string, other: string): RuleNote {
  const isOwn = other === MARK || OWN.includes(other);
  const message = isOwn
    ? `\`${other}\` is a column that the sinks have; \`${name}\` cannot be another.`
    : `The column \`${name}\` and the answer's \`${other}\` would be one column in the sinks.`;
  const mend = 'Rename the column in `input.sql` (SELECT … AS another_name)';
  const hint = isOwn ? `${mend}.` : `${mend}, or the property in the schema.`;
  return { path: ['input', field, index], code: 'sink-column-clash', message, hint };
}
