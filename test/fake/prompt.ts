import { dig, digText, isObject, type Json, listOf } from './json.ts';
import type { Form } from './model.ts';

/** What a request body says to the model: the user's texts, and the system's. */
export function readPrompt(form: Form, body: Json): { prompt: string; system: string } {
  switch (form) {
    case 'chat':
      return readTurns(listOf(body.messages));
    case 'responses':
      return joinSystem(readTurns(readInput(body.input)), body.instructions);
    case 'messages':
      return joinSystem(readTurns(listOf(body.messages)), body.system);
    case 'generate':
      return joinSystem(readTurns(listOf(body.contents)), body.systemInstruction ?? body.system_instruction);
    case 'embeddings':
      return { prompt: listOf(body.input).map(String).join('\n'), system: '' };
    case 'embed':
      return { prompt: readTexts(body.content), system: '' };
    default:
      return form satisfies never;
  }
}

/** The model that a body names, or empty. */
export function readModel(body: Json): string {
  return (digText(body, 'model') ?? '').replace(/^models\//, '');
}

function readInput(input: unknown): unknown[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input);
}

function readTurns(turns: unknown[]): { prompt: string; system: string } {
  const isSystem = (turn: unknown) => ['system', 'developer'].includes(digText(turn, 'role') ?? '');
  return {
    prompt: turns
      .filter((turn) => !isSystem(turn))
      .map(readTexts)
      .join('\n'),
    system: turns.filter(isSystem).map(readTexts).join('\n'),
  };
}

function joinSystem(
  read: { prompt: string; system: string },
  more: unknown,
): { prompt: string; system: string } {
  return { ...read, system: [readTexts(more), read.system].filter((text) => text !== '').join('\n') };
}

/** Text in any of the shapes that the three providers take: a string, a block, a turn, or lists of them. */
function readTexts(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(readTexts).join('\n');
  if (!isObject(value)) return '';
  return readTexts(dig(value, 'text') ?? dig(value, 'content') ?? dig(value, 'parts'));
}
