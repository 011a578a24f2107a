import type { IntentState } from '../journal/state.ts';
import type { AbsenceDoubt } from './absence.ts';

/** Pure: in words, why it is not proved that rows without a line have no answer. Numbers are those of the last look. */
export function explainDoubt(doubt: AbsenceDoubt, { collections, count }: IntentState): string {
  const last = collections.at(-1);
  switch (doubt) {
    case 'no_look':
      return 'no result file has been downloaded yet';
    case 'file_gone':
      return `the provider says that it does not have the ${last?.gone.join(' and ')} file, which it names`;
    case 'file_size':
      return describeSizes(last);
    case 'file_end':
      return 'a result file of which no length is listed does not end with a whole line';
    case 'lines_unreadable':
      return 'result files hold lines that cannot be read';
    case 'lines_foreign':
      return 'result files hold lines of requests that are not of this batch';
    case 'counts_absent':
      return 'the batch does not say how many results it has';
    case 'counts_total':
      return `the batch counts ${last?.counts?.total} requests, and ${count} were sent`;
    case 'counts_more':
      return `the batch counts ${(last?.counts?.done ?? 0) + (last?.counts?.failed ?? 0)} results, and its files have fewer`;
    case 'line_owed':
      return 'the batch has completed, so that there must be a line for each of its rows';
    case 'seen_once':
      return 'its files have been seen so only once';
    default:
      return doubt satisfies never;
  }
}

function describeSizes(last: IntentState['collections'][number] | undefined): string {
  const wrong = last?.files.find(({ bytes, listedBytes }) => listedBytes !== null && listedBytes !== bytes);
  if (wrong === undefined) return 'a result file has another length than is listed';
  return `the ${wrong.kind} file has ${wrong.bytes} bytes, and ${wrong.listedBytes} are listed`;
}
