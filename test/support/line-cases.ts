import type { OutcomeClass } from '../../runner/outcome/outcome.ts';
import type { Endpoint } from '../../runner/spec/job.ts';
import { answered, type LineText, line, refusedWith, saying, VALID_TEXT } from './lines.ts';

/** One line, the class that it must come to, and where a person finds the reason. */
export interface LineCase {
  readonly name: string;
  readonly text: LineText;
  readonly class: OutcomeClass;
  /** A part of the cause or of the detail. */
  readonly says?: string;
  readonly file?: 'output' | 'error';
}

/** Lines at either endpoint: good ones in odd shape, doubled ones, and such as nobody can read. */
export function plainCases(endpoint: Endpoint): LineCase[] {
  const good = answered(saying(endpoint, VALID_TEXT));
  return [
    { name: 'a good answer', text: good, class: 'ok' },
    { name: 'B065: a good answer in the error file', text: good, class: 'ok', file: 'error' },
    { name: 'a line that ends in CRLF', text: `${good}\r`, class: 'ok' },
    { name: 'an empty line before it', text: `\n${good}`, class: 'ok' },
    { name: 'B062: the same line twice', text: `${good}\n${good}`, class: 'ok' },
    {
      name: 'B062: two lines that differ',
      text: `${good}\n${refusedWith(500, { type: 'server_error' })}`,
      class: 'conflict',
      says: 'ok, provider_error',
    },
    {
      name: 'B062: two good answers that differ',
      text: `${good}\n${answered(saying(endpoint, '{"label":"frame","sure":true}'))}`,
      class: 'conflict',
      says: 'ok, ok',
    },
    {
      name: 'an error of {} and of ""',
      text: line({ response: JSON.parse(good).response, error: {} }),
      class: 'ok',
    },
    {
      name: 'a number as status text',
      text: answered(saying(endpoint, VALID_TEXT), '200'),
      class: 'ok',
    },
    {
      name: 'a status that is a word',
      text: answered(saying(endpoint, VALID_TEXT), 'fine'),
      class: 'unreadable',
      says: 'whose status is no number',
    },
    {
      name: 'no status beside a good answer',
      text: answered(saying(endpoint, VALID_TEXT), null),
      class: 'ok',
    },
    {
      name: 'a good answer whose body is JSON text',
      text: answered(JSON.stringify(saying(endpoint, VALID_TEXT))),
      class: 'ok',
    },
    {
      name: 'a good answer whose response is JSON text',
      text: line({
        response: JSON.stringify({ status_code: 200, body: saying(endpoint, VALID_TEXT) }),
      }),
      class: 'ok',
    },
    {
      name: 'a body that is a page',
      text: answered('<html>{"output":[]}</html>'),
      class: 'unreadable',
      says: 'without a body',
    },

    // What was said is not the answer.
    {
      name: 'no JSON',
      text: answered(saying(endpoint, 'The wheel.')),
      class: 'invalid_output',
      says: 'not JSON',
    },
    {
      name: 'JSON in a fence',
      text: answered(saying(endpoint, `\`\`\`json\n${VALID_TEXT}\n\`\`\``)),
      class: 'invalid_output',
      says: 'not JSON',
    },
    {
      name: 'B079: another name',
      text: answered(saying(endpoint, '{"lable":"wheel","sure":true}')),
      class: 'invalid_output',
      says: 'label',
    },
    {
      name: 'a property too many, named __proto__',
      text: answered(saying(endpoint, `${VALID_TEXT.slice(0, -1)},"__proto__":{}}`)),
      class: 'invalid_output',
    },
    { name: 'nothing', text: answered(saying(endpoint, '')), class: 'invalid_output', says: 'empty answer' },
    {
      name: 'blanks',
      text: answered(saying(endpoint, ' \n\t')),
      class: 'invalid_output',
      says: 'empty answer',
    },

    // Nothing says whose these are.
    { name: 'a line that is cut', text: good.slice(0, good.length >> 1), class: 'unreadable' },
    { name: 'a line that is a list', text: '[]', class: 'unreadable' },
    { name: 'an id that is a number', text: line({ custom_id: 7 }), class: 'unreadable' },
    { name: 'B062: an id that nobody sent', text: good.replace('{custom_id}', 'r-1'), class: 'unreadable' },
    { name: 'B063: no line at all', text: '', class: 'unreadable' },
  ];
}
