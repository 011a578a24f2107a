import { type Answer, answerOther, type Call, type Task } from '../contract.ts';
import { dig, digText, parseText } from '../json.ts';
import { findFile, keepInput, type World } from '../world.ts';
import { refuse } from './errors.ts';
import { KEEP_MS, writeFile } from './files.ts';

/** An upload that has begun: what was said of the file, and the bytes so far. */
type Upload = { name: string; displayName: string; type: string; bytes: Buffer };

const OPEN = new WeakMap<World, Map<string, Upload>>();

/** `POST /upload/{version}/files`: the start of an upload, and each piece of it. */
export function routeUpload(call: Call, world: World): Task {
  const command = call.headers['x-goog-upload-command'] ?? '';
  const begun = call.query.get('upload_id');
  if (begun === null) return answerOther(() => begin(call, world));
  const carry = () => take(call, begun, command, world);
  // Only the piece that ends an upload makes a file, so only that one counts as the deed.
  return command.includes('finalize') ? { on: 'upload', batch: null, part: null, carry } : answerOther(carry);
}

function begin(call: Call, world: World): Answer {
  const file = dig(parseText(call.body.toString()), 'file');
  const name = digText(file, 'name') ?? `files/${world.ids.next('', 12)}`;
  if (!/^files\/[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name))
    return refuse(400, `${name}: up to 40 lower-case letters, digits and dashes.`);
  if (findFile(world, 'gemini', name) !== undefined) return refuse(409, `${name} is there already.`);
  const type =
    digText(file, 'mimeType') ??
    call.headers['x-goog-upload-header-content-type'] ??
    'application/octet-stream';
  const id = world.ids.next('up', 20);
  readOpen(world).set(id, {
    name,
    displayName: digText(file, 'displayName') ?? '',
    type,
    bytes: Buffer.alloc(0),
  });
  const url = `${world.origin}${call.path}?upload_id=${id}&upload_protocol=resumable`;
  return {
    is: 'json',
    status: 200,
    value: {},
    headers: { 'x-goog-upload-url': url, 'x-goog-upload-status': 'active' },
  };
}

function take(call: Call, id: string, command: string, world: World): Answer {
  const upload = readOpen(world).get(id);
  if (upload === undefined) return refuse(404, 'There is no such upload.');
  if (Number(call.headers['x-goog-upload-offset'] ?? 0) !== upload.bytes.length)
    return refuse(400, `The offset must be ${upload.bytes.length}.`);
  upload.bytes = Buffer.concat([upload.bytes, call.body]);
  if (!command.includes('finalize'))
    return { is: 'json', status: 200, value: {}, headers: { 'x-goog-upload-status': 'active' } };
  readOpen(world).delete(id);
  return finish(upload, world);
}

function finish({ name, displayName, type, bytes }: Upload, world: World): Answer {
  const expiresAt = world.clock.now() + KEEP_MS;
  const kept = keepInput(world, { id: name, provider: 'gemini', name: displayName, type, bytes, expiresAt });
  const value = { file: writeFile(kept, world.origin, bytes.length) };
  return { is: 'json', status: 200, value, headers: { 'x-goog-upload-status': 'final' } };
}

function readOpen(world: World): Map<string, Upload> {
  const open = OPEN.get(world) ?? new Map<string, Upload>();
  OPEN.set(world, open);
  return open;
}
