import { RESERVED_RAW } from './raw-fields.ts';
import type { RuleInput, RuleNote } from './rule.ts';
import { isObject } from './schema-walk.ts';
import { didYouMean, listed } from './suggest.ts';

export function providerIsKnown({ job, settings }: RuleInput): RuleNote[] {
  const known = Object.keys(settings.providers);
  if (Object.hasOwn(settings.providers, job.model.provider)) return [];
  if (job.model.provider === '') return [noProvider(job.model.name)];
  return [
    {
      path: ['model', 'provider'],
      code: 'unknown-provider',
      message: `There is no provider \`${job.model.provider}\`; batchwright.yaml knows ${listed(known)}.`,
      hint: didYouMean(job.model.provider, known) ?? 'Add it under `providers` in batchwright.yaml.',
    },
  ];
}

function noProvider(name: string): RuleNote {
  return {
    path: ['model', 'name'],
    code: 'missing-field',
    message: `It is not said which provider has the model \`${name}\`.`,
    hint: `Write \`name: openai/${name}\`, or add \`provider: openai\`.`,
  };
}

/** `ResponseCreateParams` of the OpenAI SDK 7.59.0 has no seed; `ChatCompletionCreateParams` has. */
export function parametersFitEndpoint({ job }: RuleInput): RuleNote[] {
  if (job.model.seed === null || job.model.endpoint !== '/v1/responses') return [];
  return [
    {
      path: ['model', 'seed'],
      code: 'parameter-not-taken',
      message: '`seed` is not a parameter of /v1/responses; every request would be refused.',
      hint: 'Leave it out, or write `endpoint: /v1/chat/completions`.',
    },
  ];
}

export function rawLeavesJobAlone({ job }: RuleInput): RuleNote[] {
  const { raw } = job.model;
  const reserved = Object.keys(raw).filter((name) => Object.hasOwn(RESERVED_RAW, name));
  const format = isObject(raw.text) && raw.text.format !== undefined ? ['text.format'] : [];
  return [...reserved, ...format].map((name) => ({
    path: ['model', 'raw', ...name.split('.')],
    points: 'key' as const,
    code: 'raw-reserved',
    message: `\`model.raw.${name}\` would replace a field that the job decides.`,
    hint: RESERVED_RAW[name] ?? 'Write `output.schema`.',
  }));
}
