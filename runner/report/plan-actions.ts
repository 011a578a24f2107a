import type { Action } from '../plan/action.ts';
import { count, many } from './text.ts';

/** What an action is called in a plan, for the terminal and for a page alike. Sinks are named in it: escape it. */
export function actionName(action: Action): string {
  switch (action.kind) {
    case 'new_run':
      return `new run ${action.run}`;
    case 'withdraw':
      return 'withdraw';
    case 'restore':
      return 'take back';
    case 'revalidate':
      return `re-validate ${many(action.answers, 'answer')}`;
    case 'submit':
      return `send, run ${action.run}`;
    case 'apply':
      return `write ${action.sink}`;
    case 'cancel':
      return 'cancel a batch';
    case 'discard':
      return `delete ${many(action.files, 'remote file')}`;
    default:
      return action satisfies never;
  }
}

const CANCEL_REASONS = {
  person: 'a person asked for it',
  deadline: 'the deadline has passed; the rest is sent again when it has ended',
  stuck: 'it is stuck; the rest is sent again when it has ended',
  withdrawn: 'git has the job no more; what the batch has done is kept',
  second: 'another batch has the same requests, and nothing of it has run',
} as const;

/** Why; what a person wrote may be in it: escape it. */
export function actionReason(action: Action): string {
  switch (action.kind) {
    case 'new_run':
    case 'submit':
    case 'apply':
      return action.reason;
    case 'withdraw':
      return action.batches === 0
        ? 'git has it no more; what it has stays'
        : `git has it no more; ${count(action.batches)} under way can still be taken back`;
    case 'restore':
      return 'git has it again';
    case 'revalidate':
      return 'the schema or the sinks ask otherwise';
    case 'cancel':
      return CANCEL_REASONS[action.why];
    case 'discard':
      return 'everything of it is applied';
    default:
      return action satisfies never;
  }
}
