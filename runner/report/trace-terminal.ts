import { DISPOSITION_WORDS } from './books.ts';
import { columns } from './columns.ts';
import { plain } from './escape.ts';
import { type Paint, painter } from './paint.ts';
import { count, dateTime, many, usd } from './text.ts';
import type { TracedAttempt, TracedItem, TracedOutcome, TracedSink, TraceView } from './trace-view.ts';

/** Rows and answers are cut here on a terminal; `--json` has them whole, and the request's body too. */
const TEXT = 400;

/** `batchwright trace JOB KEY`: run by run what was asked, what came back, what was decided and where it stands. */
export function traceTerminal(view: TraceView, { color }: { readonly color: boolean }): string {
  const paint = painter(color);
  const runs = new Set(view.items.map(({ run }) => run)).size;
  const head = paint.bold(`${plain(view.key, 200)} in ${view.job}: ${many(runs, 'run')}`);
  return `${[[head], ...view.items.map((item) => itemLines(item, paint))].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function itemLines(item: TracedItem, paint: Paint): string[] {
  const newer = item.current ? '' : ', which a newer one has followed';
  const title = `run ${item.run}${newer}: ${DISPOSITION_WORDS[item.disposition]}`;
  const rows = [...askedRows(item), ...attemptRows(item.attempts), ...endRows(item)];
  return [
    paint.bold(title),
    ...(item.emulator ? [paint.yellow('  The emulator made the answer up; its money is no spend.')] : []),
    ...columns(rows.map(([name, text]) => [`  ${name}`, text ?? ''])),
  ];
}

function askedRows(item: TracedItem): string[][] {
  const { request, setAside } = item;
  const id = item.customId === null ? '' : ` \u00b7 ${plain(item.customId, 120)}`;
  const place = `${count(item.ordinal + 1)} of the manifest, frozen ${dateTime(item.frozenAt)}${id}`;
  const row = [
    ['row', place],
    [
      '',
      `${item.rowJson === null ? 'cannot be read' : plain(item.rowJson, TEXT)} \u00b7 input hash ${item.inputHash}`,
    ],
  ];
  if (setAside !== null || request === null) {
    const why = setAside === null ? '' : `${setAside.problem}: ${plain(setAside.detail ?? '', 200)}`;
    return [...row, ['set aside', why]];
  }
  const size = `about ${many(request.inputTokens, 'token')}, ${many(request.bytes, 'byte')}`;
  return [
    ...row,
    ['request', `${request.hash} \u00b7 ${plain(item.model, 80)} at ${item.account} \u00b7 ${size}`],
  ];
}

/** A batch that nobody announced is no try of ours. */
function attemptRows(attempts: readonly TracedAttempt[]): string[][] {
  let tries = 0;
  return attempts.map((attempt) => {
    if (attempt.secondOf === null) tries += 1;
    return [attempt.secondOf === null ? `try ${tries}` : 'besides', attemptText(attempt)];
  });
}

function attemptText(attempt: TracedAttempt): string {
  const batch = attempt.batch === null ? 'no batch' : `batch ${plain(attempt.batch.id, 80)}`;
  const cap = attempt.maxTokens === null ? '' : `, cap ${count(attempt.maxTokens)}`;
  const kind = attempt.secondOf === null ? attempt.kind : `a second batch of shard ${attempt.secondOf}`;
  const head = `shard ${attempt.shard}, ${kind}${cap}, ${dateTime(attempt.announcedAt)}, ${batch}`;
  return `${head}: ${attempt.outcome === null ? openText(attempt) : outcomeText(attempt.outcome)}`;
}

function openText({ phase, batch, batchError }: TracedAttempt): string {
  const why = batchError === null ? '' : `: ${plain(batchError, 200)}`;
  switch (phase) {
    case 'refused':
      return `refused as a whole, nothing was sent${why}`;
    case 'absent':
      return 'never created, as the provider\u2019s list proves';
    case 'intent':
      return 'announced; whether the provider has it is not known yet';
    case 'live':
    case 'ended':
    case 'collected':
    case 'settled':
      return `${batch?.state ?? phase}, no outcome yet${why}`;
    default:
      return phase satisfies never;
  }
}

function outcomeText(outcome: TracedOutcome): string {
  const { usage } = outcome;
  const parts = [
    `${outcome.class}${causeText(outcome)}`,
    ...(outcome.firstClass === null ? [] : [`${outcome.firstClass} until schema or sinks were edited`]),
    ...(outcome.decision === null || outcome.decision === 'none' ? [] : [`decided: ${outcome.decision}`]),
    ...(usage === null
      ? ['no usage told']
      : [`${count(usage.inputTokens)} in, ${count(usage.outputTokens)} out`, usd(outcome.usd)]),
    ...(outcome.servedModel === null ? [] : [plain(outcome.servedModel, 60)]),
    ...(outcome.responseId === null ? [] : [plain(outcome.responseId, 80)]),
  ];
  return parts.join(' · ');
}

/** Where the cause says no more than the class it is left out. */
function causeText({ class: of, cause, detail }: TracedOutcome): string {
  const more = detail === null ? '' : ` (${plain(detail, 200)})`;
  return cause === '' || cause === of ? more : `, ${plain(cause, 80)}${more}`;
}

function endRows(item: TracedItem): string[][] {
  const { verdict, waitsOn } = item;
  if (waitsOn !== null) {
    return [
      ['waits', `for the same request of ${whose(waitsOn.key)}, run ${waitsOn.run}, shard ${waitsOn.shard}`],
    ];
  }
  if (verdict === null) return [];
  const { from } = verdict;
  const source = from.own
    ? `by this row, in shard ${from.shard}`
    : `by the same request of ${whose(from.key)}, run ${from.run}, shard ${from.shard}`;
  if (verdict.answer === null) {
    // Its own end stands among the tries already.
    return from.own
      ? []
      : [['ended', `${verdict.class}, ${plain(verdict.cause, 80)}: found ${source}; not sent again`]];
  }
  return [
    ['answer', plain(verdict.answer, TEXT)],
    ['bought', source],
    ...(item.sinks.length === 0 ? [['applied', 'nowhere by this run']] : item.sinks.map(sinkRow)),
  ];
}

function whose(key: string | null): string {
  return key === null ? 'a row without a key' : plain(key, 80);
}

function sinkRow(sink: TracedSink): string[] {
  return ['applied', `${sink.kind} ${plain(sink.path, 120)}: ${sinkText(sink)}`];
}

function sinkText({ state, appliedAt, byRun }: TracedSink): string {
  const when = appliedAt === null ? '' : ` since ${dateTime(appliedAt)}`;
  switch (state) {
    case 'holds':
      return `holds it${when}`;
    case 'not_yet':
      return appliedAt === null ? 'not written yet' : `written ${dateTime(appliedAt)}, before this answer`;
    case 'replaced':
      return `run ${byRun} has written it anew${when}`;
    case 'kept':
      return `run ${byRun} has written it anew${when}, and kept this row: its key is gone from the input`;
    default:
      return state satisfies never;
  }
}
