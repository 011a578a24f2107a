import type { ModelSpec, OutputSpec } from './job.ts';
import {
  type EndpointFacts,
  endpointFacts,
  kindOf,
  type Parameter,
  PROFILES,
  type Profile,
} from './profiles.ts';
import { fieldsNotTaken, reservedFields } from './raw-fields.ts';
import type { RuleInput, RuleNote } from './rule.ts';
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

/** What a provider or endpoint does not take would fail in every row, hours later. */
export function parametersFitEndpoint({ job, settings }: RuleInput): RuleNote[] {
  const { model } = job;
  const kind = kindOf(model.provider, settings);
  const { title, endpoints } = PROFILES[kind];
  const facts = endpointFacts(kind, model.endpoint);
  if (facts === null) return [unknownEndpoint(model.endpoint, title, endpoints)];
  const foreign = PARAMETERS.filter((name) => model[name] !== null && !facts.parameters.includes(name));
  return [
    ...foreign.map((name) => ({
      path: ['model', name],
      code: 'parameter-not-taken',
      message: `\`${name}\` is not a parameter of ${title}'s ${model.endpoint}; every request would be refused.`,
      hint: otherEndpoint(name, job.output.kind, endpoints),
    })),
    ...unknownLevel(model.reasoning, title, facts),
  ];
}

function unknownLevel(
  level: ModelSpec['reasoning'],
  title: string,
  { endpoint, parameters, reasoning }: EndpointFacts,
): RuleNote[] {
  if (level === null || reasoning === undefined || !parameters.includes('reasoning')) return [];
  if (reasoning.includes(level)) return [];
  return [
    {
      path: ['model', 'reasoning'],
      code: 'parameter-not-taken',
      message: `\`${level}\` is not a level of reasoning of ${title}'s ${endpoint}.`,
      hint: `Write ${listed(reasoning)}.`,
    },
  ];
}

const PARAMETERS: readonly Parameter[] = ['temperature', 'reasoning', 'seed'];

function unknownEndpoint(endpoint: string, title: string, endpoints: Profile['endpoints']): RuleNote {
  return {
    path: ['model', 'endpoint'],
    code: 'unknown-endpoint',
    message: `${title} has no endpoint ${endpoint}.`,
    hint: `It has ${listed(endpoints.map((each) => each.endpoint))}. Leave \`endpoint\` out for the usual one.`,
  };
}

function otherEndpoint(
  parameter: Parameter,
  output: OutputSpec['kind'],
  endpoints: Profile['endpoints'],
): string {
  const other = endpoints.find(
    ({ parameters, outputs }) => parameters.includes(parameter) && outputs.includes(output),
  );
  return other === undefined ? 'Leave it out.' : `Leave it out, or write \`endpoint: ${other.endpoint}\`.`;
}

/** Outputs in words, as they stand behind "takes" or "with". */
export const OUTPUTS: Readonly<Record<OutputSpec['kind'], string>> = {
  json: 'JSON',
  text: 'text',
  embedding: 'an embedding',
  moderation: 'a moderation',
};

export function endpointFitsOutput({ job, settings }: RuleInput): RuleNote[] {
  const kind = kindOf(job.model.provider, settings);
  const { title, endpoints } = PROFILES[kind];
  const facts = endpointFacts(kind, job.model.endpoint);
  if (facts === null || facts.outputs.includes(job.output.kind)) return [];
  const fitting = endpoints.find(({ outputs }) => outputs.includes(job.output.kind));
  const wanted = OUTPUTS[job.output.kind];
  if (fitting === undefined) {
    const message = `${title} has no endpoint that answers with ${wanted}.`;
    return [
      { path: ['output'], code: 'output-not-given', message, hint: 'Name a model of another provider.' },
    ];
  }
  return [
    {
      path: ['model', 'endpoint'],
      code: 'endpoint-misfit',
      message: `${title}'s ${job.model.endpoint} does not answer with ${wanted}.`,
      hint: `Write \`endpoint: ${fitting.endpoint}\`, or leave it out.`,
    },
  ];
}

export function systemPromptIsTaken({ job, settings }: RuleInput): RuleNote[] {
  const { endpoint, provider } = job.model;
  const facts = endpointFacts(kindOf(provider, settings), endpoint);
  if (facts === null || facts.takesSystemPrompt || job.prompt.system === null) return [];
  return [
    {
      path: ['prompt', 'system'],
      code: 'system-prompt-not-taken',
      message: `${endpoint} takes one text, and no system prompt beside it; prompts/${job.prompt.system} would not be sent.`,
      hint: `Remove that file, or write \`prompt: { user: ${job.prompt.user} }\`.`,
    },
  ];
}

export function rawLeavesJobAlone({ job, settings }: RuleInput): RuleNote[] {
  const { provider, raw } = job.model;
  const kind = kindOf(provider, settings);
  const reserved = reservedFields(kind, raw).map(({ path, hint }) => ({
    path: ['model', 'raw', ...path],
    points: 'key' as const,
    code: 'raw-reserved',
    message: `\`model.raw.${path.join('.')}\` would replace a field that the job decides.`,
    hint,
  }));
  const foreign = fieldsNotTaken(kind, raw).map(({ path, hint }) => ({
    path: ['model', 'raw', ...path],
    points: 'key' as const,
    code: 'parameter-not-taken',
    message: `\`model.raw.${path.join('.')}\` would be refused by ${PROFILES[kind].title} in every request.`,
    hint,
  }));
  return [...reserved, ...foreign];
}
