import type { Json, JsonObject } from '../ids.ts';
import { ANTHROPIC_FORMATS, anthropicNarrows, anthropicProblems } from './anthropic-subset.ts';
import { GEMINI_NARROWING, geminiProblems } from './gemini-subset.ts';
import type { ProviderKind } from './profiles.ts';
import { ONLY_NARROWING, STRICT_FORMATS, type StrictProblem, strictProblems } from './strict-subset.ts';

/** The part of JSON Schema that a provider holds its models to. */
export interface SchemaSubset {
  /** True for a keyword that is not taken, or not with this value, and only narrows an answer further: it may stay at home. */
  narrows(keyword: string, value: Json): boolean;
  /** Null: any format may travel. */
  readonly formats: ReadonlySet<string> | null;
  /** What keeps a schema, as it would travel, out of the subset. */
  problems(schema: JsonObject): readonly StrictProblem[];
  /** What happens to a schema outside the subset, as the end of a sentence. */
  readonly outside: string;
}

const SUBSETS: Readonly<Record<ProviderKind, SchemaSubset>> = {
  openai: {
    narrows: (keyword) => ONLY_NARROWING.has(keyword),
    formats: STRICT_FORMATS,
    problems: strictProblems,
    outside: 'the schema travels without, and answers may break it',
  },
  anthropic: {
    narrows: anthropicNarrows,
    formats: ANTHROPIC_FORMATS,
    problems: anthropicProblems,
    outside: 'the schema is not sent, and the prompt alone says what an answer must be',
  },
  gemini: {
    narrows: (keyword) => GEMINI_NARROWING.has(keyword),
    formats: null,
    problems: geminiProblems,
    outside: 'the schema travels as it is, and answers may break it',
  },
};

export function subsetOf(kind: ProviderKind): SchemaSubset {
  return SUBSETS[kind];
}
