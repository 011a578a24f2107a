import { type Duck, sqlTexts } from '../duck.ts';

/** The two runs, and the properties by which answers are compared; none: by their whole text. */
export interface Comparison {
  readonly before: number;
  readonly after: number;
  readonly properties: readonly string[];
}

/** Keys by where they have an answer. Of those answered in one run only, `gone` are not in the other's manifest. */
export interface KeyCounts {
  readonly both: number;
  readonly changed: number;
  readonly onlyBefore: number;
  readonly onlyBeforeGone: number;
  readonly onlyAfter: number;
  readonly onlyAfterGone: number;
}

export async function keyCounts(duck: Duck, of: Comparison): Promise<KeyCounts> {
  const [counts] = await duck.rows<KeyCounts>(
    `SELECT (count(*) FILTER (b.key IS NOT NULL AND a.key IS NOT NULL))::INTEGER AS "both",
       (count(*) FILTER (b.key IS NOT NULL AND a.key IS NOT NULL AND b.value IS DISTINCT FROM a.value))::INTEGER AS changed,
       (count(*) FILTER (a.key IS NULL))::INTEGER AS "onlyBefore",
       (count(*) FILTER (a.key IS NULL AND NOT ${isIn('b.key', of.after)}))::INTEGER AS "onlyBeforeGone",
       (count(*) FILTER (b.key IS NULL))::INTEGER AS "onlyAfter",
       (count(*) FILTER (b.key IS NULL AND NOT ${isIn('a.key', of.before)}))::INTEGER AS "onlyAfterGone"
     FROM (${answered(of.before, of)}) b FULL JOIN (${answered(of.after, of)}) a ON a.key = b.key`,
  );
  return counts ?? { both: 0, changed: 0, onlyBefore: 0, onlyBeforeGone: 0, onlyAfter: 0, onlyAfterGone: 0 };
}

/** How many keys have another value, by property; properties without a change are left out. */
export async function changedProperties(
  duck: Duck,
  of: Comparison,
): Promise<{ readonly property: string; readonly changed: number }[]> {
  if (of.properties.length === 0) return [];
  const counts = of.properties.map(
    (_, at) =>
      `(count(*) FILTER (b.value[${at + 1}] IS DISTINCT FROM a.value[${at + 1}]))::INTEGER AS c${at}`,
  );
  const [row] = await duck.rows<Record<string, number>>(`SELECT ${counts.join(', ')} FROM ${joined(of)}`);
  return of.properties
    .map((property, at) => ({ property, changed: row?.[`c${at}`] ?? 0 }))
    .filter(({ changed }) => changed > 0);
}

/** From one value to another, as JSON text; null where the answer does not have the property. */
export interface PropertyMove {
  readonly before: string | null;
  readonly after: string | null;
  readonly count: number;
}

/** The most frequent moves of one of the compared properties. */
export async function propertyMoves(
  duck: Duck,
  of: Comparison,
  property: string,
  limit: number,
): Promise<PropertyMove[]> {
  const at = of.properties.indexOf(property) + 1;
  return duck.rows(
    `SELECT b.value[${at}] AS before, a.value[${at}] AS after, count(*)::INTEGER AS count FROM ${joined(of)}
     WHERE b.value[${at}] IS DISTINCT FROM a.value[${at}] GROUP BY 1, 2 ORDER BY count DESC, 1, 2 LIMIT ${limit}`,
  );
}

export interface ChangedAnswer {
  readonly key: string;
  /** The answers as JSON text. */
  readonly before: string;
  readonly after: string;
}

/** The first of them in the order of the later run's manifest. */
export async function changedAnswers(duck: Duck, of: Comparison, limit: number): Promise<ChangedAnswer[]> {
  return duck.rows(
    `SELECT a.key, b.answer AS before, a.answer AS after FROM ${joined(of)}
     WHERE b.value IS DISTINCT FROM a.value ORDER BY a.ordinal LIMIT ${limit}`,
  );
}

function joined(of: Comparison): string {
  return `(${answered(of.before, of)}) b JOIN (${answered(of.after, of)}) a ON a.key = b.key`;
}

/** `value` is what is compared: the JSON of each property, so that their order in an answer means nothing. */
function answered(run: number, { properties }: Comparison): string {
  const value =
    properties.length === 0
      ? 'o.answer'
      : `json_extract(o.answer, ${sqlTexts(properties.map(pointerTo))})::VARCHAR[]`;
  return `SELECT m.key, f.ordinal, o.answer, ${value} AS value
    FROM item_fact f JOIN manifest m ON m.run = f.run AND m.ordinal = f.ordinal
      JOIN outcome o ON o.run = f.answer_run AND o.shard = f.answer_shard AND o.ordinal = f.answer_ordinal
    WHERE f.run = ${run} AND f.verdict IN ('own', 'reused')`;
}

function isIn(key: string, run: number): string {
  return `${key} IN (SELECT key FROM manifest WHERE run = ${run} AND key IS NOT NULL)`;
}

/** RFC 6901: any name can be pointed at, also one with dots, quotes or slashes. */
function pointerTo(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
