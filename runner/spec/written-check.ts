import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import approvalSchema from '../../schemas/batchwright/approval.schema.json' with { type: 'json' };
import jobSchema from '../../schemas/batchwright/job.schema.json' with { type: 'json' };
import settingsSchema from '../../schemas/batchwright/settings.schema.json' with { type: 'json' };
import type { Finding } from '../errors.ts';
import type { Path, YamlFile } from './parse.ts';
import type { Fault, WrittenKind } from './written-fault.ts';
import { nearestField, noteOf } from './written-notes.ts';

export interface WrittenCheck {
  readonly findings: readonly Finding[];
  /** The top-level fields that cannot be used: with a fault inside, or missing. */
  readonly broken: ReadonlySet<string>;
}

/** Holds a file against its JSON Schema: every fault at once, each at its place and in our words. */
export function checkWritten(kind: WrittenKind, yaml: YamlFile): WrittenCheck {
  const validate = validatorOf(kind);
  if (validate(yaml.value)) return { findings: [], broken: new Set() };
  const faults = (validate.errors ?? []).map(faultOf);
  const told = faults.filter((fault) => counts(fault, yaml));
  const renamed = told.flatMap((fault) => suggestionOf(fault) ?? []);
  const findings = told
    .filter((fault) => !isExplained(fault, renamed, told))
    .map((fault) => yaml.at(fault.path, fault.points, noteOf(fault, kind, yaml)));
  return { findings, broken: new Set(faults.map(fieldOf)) };
}

function fieldOf({ error, path }: Fault): string {
  return String(path[0] ?? error.params.missingProperty ?? '');
}

/** `strictRequired` wants every branch of a `oneOf` to name its properties again. */
const OPTIONS: Options = {
  allErrors: true,
  verbose: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  logger: false,
};

const SCHEMAS = { job: jobSchema, settings: settingsSchema, approval: approvalSchema } as const;

const validators = new Map<WrittenKind, ValidateFunction>();

/** Compiling takes some 30 ms: only when a file is there to be checked, and once. */
function validatorOf(kind: WrittenKind): ValidateFunction {
  const known = validators.get(kind);
  if (known !== undefined) return known;
  const ajv = new Ajv(OPTIONS);
  ajv.addKeyword({ keyword: 'patternErrorMessage', schemaType: 'string' });
  const validate = ajv.compile(SCHEMAS[kind]);
  validators.set(kind, validate);
  return validate;
}

function faultOf(error: ErrorObject): Fault {
  const path = decoded(error.instancePath);
  switch (error.keyword) {
    case 'additionalProperties':
      return { error, path: [...path, String(error.params.additionalProperty)], points: 'key' };
    case 'required':
    case 'dependencies':
      return { error, path, points: 'key' };
    case 'false schema':
      return { error, path, points: 'key' };
    case 'propertyNames':
      return { error, path: [...path, String(error.params.propertyName)], points: 'key' };
    default:
      return { error, path, points: 'value' };
  }
}

/** JSON Pointer to a path; indexes stay texts, which is how YAML nodes are found as well. */
function decoded(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** An empty value has a finding of its own; the parts of `oneOf` and of `propertyNames` are told by the whole. */
function counts({ error, path, points }: Fault, yaml: YamlFile): boolean {
  if (/\/(oneOf\/\d+|propertyNames)\//.test(error.schemaPath)) return false;
  return points === 'key' || yaml.written(path) !== '';
}

/** An unknown `modle` beside a missing `model` is one mistake, told once. */
function suggestionOf(fault: Fault): { readonly around: string; readonly name: string } | null {
  if (fault.error.keyword !== 'additionalProperties') return null;
  const name = nearestField(fault);
  return name === null ? null : { around: fault.error.instancePath, name };
}

/** Beside an unknown field that was meant for it, a missing one goes without saying. */
function isExplained(
  { error }: Fault,
  renamed: readonly { around: string; name: string }[],
  told: readonly Fault[],
): boolean {
  const { instancePath, keyword, params } = error;
  if (keyword === 'required' || keyword === 'dependencies') {
    return renamed.some(({ around, name }) => around === instancePath && name === params.missingProperty);
  }
  if (keyword !== 'oneOf' || params.passingSchemas !== null) return false;
  return told.some(
    (other) => other.error.keyword === 'additionalProperties' && other.error.instancePath === instancePath,
  );
}
