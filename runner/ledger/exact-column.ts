import type { Duck } from '../duck.ts';
import { parseExact } from '../manifest/exact-json.ts';

/**
 * Registers `exact_column(row_json, name)`: a column of a frozen row as text, exactly as the source says. DuckDB's own
 * JSON functions rewrite numbers (1.10 becomes 1.1). NULL where the row has no such column or it is null.
 */
export async function registerExactColumn(duck: Duck): Promise<void> {
  const { DuckDBScalarFunction, VARCHAR } = await import('@duckdb/node-api');
  duck.connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name: 'exact_column',
      returnType: VARCHAR,
      parameterTypes: [VARCHAR, VARCHAR],
      mainFunction(_info, input, output) {
        const rows = input.getColumnVector(0);
        const names = input.getColumnVector(1);
        for (let at = 0; at < input.rowCount; at += 1) {
          output.setItem(at, exactColumn(rows.getItem(at) as string | null, names.getItem(at) as string));
        }
        output.flush();
      },
    }),
  );
}

function exactColumn(rowJson: string | null, name: string): string | null {
  if (rowJson === null) return null;
  const row = parseExact(rowJson) as Record<string, unknown>;
  const value = Object.hasOwn(row, name) ? row[name] : null;
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  // Numbers that a double cannot hold keep their text through toJSON.
  return JSON.stringify(value);
}
