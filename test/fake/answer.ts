import { tellLie, tellTruth } from './bend.ts';
import { bendList } from './bend-list.ts';
import type { Answer, Contract, Task } from './contract.ts';
import { damageFile } from './damage.ts';
import type { ResultFile } from './files.ts';
import type { FileLie, Lie } from './lies.ts';
import { BROKEN, type Reply, SILENCE, writeJson, writeReply } from './reply.ts';

const GATEWAY_PAGE = `<html><head><title>502 Bad Gateway</title></head>
<body><h1>502 Bad Gateway</h1><p>The upstream did not answer.</p></body></html>
`;

/** Does what a client wants, and gives the reply: the true one, or what a lie makes of it. */
export function carryOut(task: Task, lie: Lie | null, contract: Contract, now: number): Reply {
  if (lie === null) return writeAnswer(task.carry(tellTruth(now)));
  const { what } = lie;
  switch (what.kind) {
    case 'status':
      return writeJson(
        what.code,
        what.body ?? contract.writeError(what.code, 'The gateway said no.'),
        what.headers,
      );
    case 'json_error':
      return writeJson(200, contract.writeError(502, 'The gateway has lost its upstream.'));
    case 'html':
      return writeReply(200, 'text/html', Buffer.from(GATEWAY_PAGE));
    case 'empty':
      return writeReply(200, 'application/octet-stream', Buffer.alloc(0));
    case 'reset':
      return BROKEN;
    case 'silence':
      return SILENCE;
    case 'commit_then_silence':
      task.carry(tellTruth(now));
      return SILENCE;
    case 'commit_then_status':
      task.carry(tellTruth(now));
      return writeJson(what.code, contract.writeError(what.code, 'The answer was lost.'));
    case 'commit_then_html':
      task.carry(tellTruth(now));
      return writeReply(200, 'text/html', Buffer.from(GATEWAY_PAGE));
    case 'commit_then_reset':
      task.carry(tellTruth(now));
      return BROKEN;
    case 'commit_twice':
      task.carry(tellTruth(now));
      return writeAnswer(task.carry(tellTruth(now)));
    case 'empty_page':
    case 'first_page_only':
      return writeAnswer(bendList(task.carry(tellTruth(now)), lie, contract));
    default:
      return writeBent(task.carry(tellLie(lie, now)), lie, contract);
  }
}

function writeAnswer(answer: Answer): Reply {
  switch (answer.is) {
    case 'json':
      return { ...writeJson(answer.status, answer.value, answer.headers), bears: answer.bears ?? null };
    case 'bytes':
      return writeReply(200, answer.type, answer.bytes);
    case 'lines':
      return { ...writeReply(200, answer.type, answer.file.bytes), bears: answer.file };
    default:
      return answer satisfies never;
  }
}

/** What was told with a bent state bears no results for certain, nor does a damaged file that is not whole. */
function writeBent(answer: Answer, lie: Lie, contract: Contract): Reply {
  if (answer.is !== 'lines' || lie.on !== 'download') return { ...writeAnswer(answer), bears: null };
  return writeDamaged(answer.file, lie.what as FileLie, answer.type, contract);
}

function writeDamaged(file: ResultFile, lie: FileLie, type: string, contract: Contract): Reply {
  const { body, framing, breakAfter, whole } = damageFile(file, lie, contract.shape);
  return { ...writeReply(200, type, body), framing, breakAfter, bears: whole ? file : null };
}
