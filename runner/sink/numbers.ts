/** SQL over numbers of JSON answers, as `json_extract_string` gives them: whole ones as their digits, others as DuckDB prints doubles. */

export function numberText(json: string): string {
  return `json_extract_string(${json}, '$')`;
}

/** DuckDB rounds '1.5' to 2 in silence, so the double beside it must be whole. */
export function fitsBigint(text: string): string {
  const double = `TRY_CAST(${text} AS DOUBLE)`;
  return `(TRY_CAST(${text} AS BIGINT) IS NOT NULL AND trunc(${double}) = ${double})`;
}

/**
 * A fraction means the double nearest to it, as in JavaScript. An integer must be that double, or be what the double
 * prints as: JSON.stringify(2 ** 60) is 1152921504606847000, which is neither wrong nor 2 ** 60.
 */
export function fitsDouble(text: string): string {
  const double = `TRY_CAST(${text} AS DOUBLE)`;
  const whole = `TRY_CAST(${text} AS HUGEINT)`;
  return `(isfinite(${double}) AND (NOT regexp_full_match(${text}, '-?[0-9]+')
    OR coalesce(${whole} = TRY_CAST(${double} AS HUGEINT)
      OR ${whole} = TRY_CAST(${double}::VARCHAR AS HUGEINT), false)))`;
}

/** A whole number of any size as its digits: `1.0` as 1, `1e2` as 100, `-0` as 0, and 25 digits as they are. */
export function wholeText(text: string): string {
  return `CASE WHEN ${fitsBigint(text)} THEN TRY_CAST(${text} AS BIGINT)::VARCHAR ELSE ${longDigits(text)} END`;
}

/** A number as a cell: as a double where it is one, else the digits as they are. */
export function cellText(text: string): string {
  return `CASE WHEN ${fitsDouble(text)} THEN TRY_CAST(${text} AS DOUBLE)::VARCHAR ELSE ${text} END`;
}

/** Digits stay. `1.5e39` is what DuckDB makes of a double; fifteen digits and more stand before an exponent of 21 and more. */
function longDigits(text: string): string {
  const part = (group: number) =>
    `regexp_extract(${text}, '^(-?[0-9]+)(?:\\.([0-9]+))?[eE][+]?([0-9]+)$', ${group})`;
  return `CASE WHEN regexp_full_match(${text}, '.*[eE].*')
    THEN ${part(1)} || rpad(${part(2)}, TRY_CAST(${part(3)} AS INTEGER), '0')
    ELSE regexp_replace(${text}, '\\.0+$', '') END`;
}
