import { expect, it } from 'vitest';
import { evaluate, filled, holds } from '../support/workflow-expression.ts';

const NAMES = {
  github: { ref: 'refs/heads/main', event: { number: 7 } },
  steps: { due: { outputs: { due: 'no' } } },
  inputs: { only: false },
  secrets: {},
};
const FINE = { failed: false };

it.each([
  ["github.ref == 'refs/heads/main'", true],
  ["steps.due.outputs.due != 'no'", false],
  ["steps.other.outputs.due != 'no'", true],
  ["!inputs.only && (github.event.number == '7' || secrets.KEY != '')", true],
  ["secrets.KEY || 'none'", 'none'],
  ["'it''s'", "it's"],
  ['inputs.only', false],
])('%s is %j', (expression, expected) => {
  expect(evaluate(expression, NAMES, FINE)).toBe(expected);
});

it.each(['github.ref + 1', 'contains(github.ref)', '(github.ref', "github.ref == '", 'nowhere.ref', '1 2'])(
  'refuses %s: what is not tried is not used',
  (expression) => {
    expect(() => evaluate(expression, NAMES, FINE)).toThrow(/known|closed|context/);
  },
);

it('fills texts, and leaves a single value what it is', () => {
  expect(filled('a ${{ github.ref }} b ${{ secrets.KEY }}', NAMES)).toBe('a refs/heads/main b ');
  expect(filled('${{ inputs.only }}', NAMES)).toBe(false);
});

it('a step runs after a failure only where it asks how the job stands', () => {
  const failed = { failed: true };
  expect(holds(undefined, NAMES, failed)).toBe(false);
  expect(holds("github.ref != ''", NAMES, failed)).toBe(false);
  expect(holds("${{ !cancelled() && github.ref != '' }}", NAMES, failed)).toBe(true);
  expect(holds('failure()', NAMES, FINE)).toBe(false);
});
