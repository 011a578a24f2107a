import type { Json } from '../ids.ts';
import type { WrittenJob } from './written-job.generated.ts';

/** Stands in where a field cannot be used, so that all rules can still be asked about the others. */
const PLACEHOLDERS: WrittenJob = {
  apiVersion: 'batchwright/v1',
  name: 'unnamed',
  owner: 'nobody',
  model: 'openai/unknown',
  input: { files: [], key: [] },
  prompt: 'unknown',
  output: { text: true, max_tokens: 1 },
};

/** The usable fields of a job's file. What is said of a broken field must be left unsaid: it is a placeholder. */
export function salvaged(value: Readonly<Record<string, Json>>, broken: ReadonlySet<string>): WrittenJob {
  const usable = Object.entries(value).filter(([name]) => !broken.has(name));
  return { ...PLACEHOLDERS, ...(Object.fromEntries(usable) as Partial<WrittenJob>) };
}
