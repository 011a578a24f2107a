import type { IncomingMessage } from 'node:http';
import { openBlockWriter } from '../block-writer.ts';
import type { EmulatorClock } from '../clock.ts';
import { drain, type Reply } from '../http.ts';
import { readUpload, type Upload } from './multipart.ts';
import { badParameter, missingParameter, refusal } from './replies.ts';
import type { FileRow } from './types.ts';

const DAY_MS = 86_400_000;
/** Batch files expire 30 days after upload unless the upload says otherwise. */
export const FILE_KEPT_MS = 30 * DAY_MS;
/** The bounds of `expires_after[seconds]` and `output_expires_after.seconds`. */
export const EXPIRY_SECONDS = { least: 3600, most: 2_592_000 } as const;

type Received<Kind extends string, Value> =
  | ({ readonly kind: Kind } & Value)
  | { readonly kind: 'refused'; readonly reply: Reply };

export type UploadedFile = Pick<FileRow, 'filename' | 'purpose' | 'bytes' | 'createdAt' | 'expiresAt'>;

/** Reads an upload to `path`. Where it is refused, part of it may stand there. `most` is in bytes. */
export async function receiveUpload(
  request: IncomingMessage,
  path: string,
  most: number,
  clock: EmulatorClock,
): Promise<Received<'file', { readonly file: UploadedFile }>> {
  const received = await receiveForm(request, path, most);
  if (received.kind === 'refused') return received;
  const { fields, file } = received.form;
  const reply = refusalOf(received.form);
  if (reply !== null || file === null) return { kind: 'refused', reply: reply ?? missingParameter('file') };
  const createdAt = clock.now();
  const purpose = fields.get('purpose') ?? '';
  return { kind: 'file', file: { ...file, purpose, createdAt, expiresAt: expiryOf(fields, createdAt) } };
}

/** Writes the file to disk as it comes; beyond `most` bytes it is only counted. */
async function receiveForm(
  request: IncomingMessage,
  path: string,
  most: number,
): Promise<Received<'form', { readonly form: Upload }>> {
  const writer = openBlockWriter(path);
  let bytes = 0;
  try {
    const form = await readUpload(request, (piece) => {
      bytes += piece.length;
      if (bytes <= most) writer.write(piece);
    });
    return bytes > most ? { kind: 'refused', reply: tooLarge(bytes, most) } : { kind: 'form', form };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    await drain(request);
    return {
      kind: 'refused',
      reply: refusal(400, { message: `Could not parse the upload: ${error.message}` }),
    };
  } finally {
    writer.close();
  }
}

function tooLarge(bytes: number, most: number): Reply {
  return refusal(400, {
    message: `File is too large: ${bytes} bytes, and a batch input file may have ${most}.`,
    code: 'file_too_large',
  });
}

function refusalOf({ fields, file }: Upload): Reply | null {
  if (file === null) return missingParameter('file');
  const purpose = fields.get('purpose');
  if (purpose === undefined) return missingParameter('purpose');
  if (purpose === 'batch' && !file.filename.endsWith('.jsonl')) {
    return refusal(400, { message: 'Invalid file format for Batch API. Must be .jsonl' });
  }
  return refusalOfExpiry(fields);
}

function refusalOfExpiry(fields: ReadonlyMap<string, string>): Reply | null {
  const anchor = fields.get('expires_after[anchor]');
  const seconds = fields.get('expires_after[seconds]');
  if (anchor === undefined && seconds === undefined) return null;
  if (anchor !== 'created_at')
    return badParameter('expires_after.anchor', "The anchor must be 'created_at'.");
  return isExpiry(Number(seconds)) ? null : badExpiry('expires_after.seconds');
}

export function isExpiry(seconds: unknown): boolean {
  return (
    typeof seconds === 'number' &&
    Number.isInteger(seconds) &&
    seconds >= EXPIRY_SECONDS.least &&
    seconds <= EXPIRY_SECONDS.most
  );
}

export function badExpiry(param: string): Reply {
  const { least, most } = EXPIRY_SECONDS;
  return badParameter(param, `Expected a whole number of seconds from ${least} to ${most}.`);
}

function expiryOf(fields: ReadonlyMap<string, string>, now: number): number | null {
  const seconds = fields.get('expires_after[seconds]');
  if (seconds !== undefined) return now + Number(seconds) * 1000;
  return fields.get('purpose') === 'batch' ? now + FILE_KEPT_MS : null;
}
