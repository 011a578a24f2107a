import type { JsonObject } from '../ids.ts';
import { GEMINI_NARROWING, geminiProblems } from './gemini-subset.ts';
import type { ProviderKind } from './profiles.ts';
import { ONLY_NARROWING, STRICT_FORMATS, type StrictProblem, strictProblems } from './strict-subset.ts';

/** The part of JSON Schema that a provider holds its models to. */
export interface SchemaSubset {
  /** Keywords that are not taken and only narrow an answer further: they may stay at home. */
  readonly narrowing: ReadonlySet<string>;
  /** Null: any format may travel. */
  readonly formats: ReadonlySet<string> | null;
  /** What keeps a schema, as it would travel, out of the subset. */
  problems(schema: JsonObject): readonly StrictProblem[];
}

const SUBSETS: Readonly<Record<ProviderKind, SchemaSubset>> = {
  openai: { narrowing: ONLY_NARROWING, formats: STRICT_FORMATS, problems: strictProblems },
  gemini: { narrowing: GEMINI_NARROWING, formats: null, problems: geminiProblems },
};

export function subsetOf(kind: ProviderKind): SchemaSubset {
  return SUBSETS[kind];
}
