import type { RuleInput, RuleNote } from './rule.ts';

export function columnsListedOnce({ job }: RuleInput): RuleNote[] {
  const twice = (field: 'key' | 'pass') =>
    repeated(job.input[field]).map(({ name, index }) => ({
      path: ['input', field, index],
      code: 'column-twice',
      message: `The column \`${name}\` is listed twice in \`input.${field}\`.`,
      hint: 'Keep one.',
    }));
  const both = job.input.pass.flatMap((name, index) =>
    job.input.key.includes(name) ? [{ name, index }] : [],
  );
  return [
    ...twice('key'),
    ...twice('pass'),
    ...both.map(({ name, index }) => ({
      path: ['input', 'pass', index],
      code: 'column-twice',
      message: `\`${name}\` is a key column, and those stand in every sink already.`,
      hint: 'Take it out of `input.pass`.',
    })),
  ];
}

function repeated(names: readonly string[]): { name: string; index: number }[] {
  return names.flatMap((name, index) => (names.indexOf(name) < index ? [{ name, index }] : []));
}

/** `never_send` keeps a column from the provider; keys also stand in reports, which are committed. */
export function keysMayBeShown({ job, settings }: RuleInput): RuleNote[] {
  if (settings.report.keys === 'hashed') return [];
  return job.input.key.flatMap((name, index) =>
    settings.policy.neverSend.includes(name)
      ? [
          {
            path: ['input', 'key', index],
            level: 'warning' as const,
            code: 'key-shown',
            message: `\`${name}\` is under \`policy.never_send\`, and as a key it stands in committed reports.`,
            hint: 'Write `report: { keys: hashed }` in batchwright.yaml.',
          },
        ]
      : [],
  );
}
