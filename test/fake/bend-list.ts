import type { Answer, Contract } from './contract.ts';
import { isObject, type Json, listOf } from './json.ts';
import type { Lie } from './lies.ts';

/** What a lie makes of a page of a list. */
export function bendList(answer: Answer, lie: Lie, contract: Contract): Answer {
  if (answer.is !== 'json' || !isObject(answer.value)) return answer;
  const field = contract.name === 'gemini' ? 'operations' : 'data';
  const { [field]: held, ...rest } = answer.value;
  const items = listOf(held);
  switch (lie.what.kind) {
    case 'empty_page':
      return { ...answer, value: { ...endPage(rest), [field]: [], ...noIds(rest) } };
    case 'first_page_only':
      return { ...answer, value: { ...endPage(rest), [field]: items } };
    default:
      return answer;
  }
}

function endPage(page: Json): Json {
  const { nextPageToken: _dropped, ...rest } = page;
  return 'has_more' in rest ? { ...rest, has_more: false } : rest;
}

function noIds(page: Json): Json {
  return 'first_id' in page ? { first_id: null, last_id: null } : {};
}
