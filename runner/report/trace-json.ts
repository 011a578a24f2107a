import type { JsonObject } from '../ids.ts';
import type { TracedAttempt, TracedItem, TracedOutcome, TracedVerdict, TraceView } from './trace-view.ts';

/** What `trace --json` prints, texts whole. Holds rows, prompts and answers: customer data. */
export function traceJson({ job, key, items }: TraceView): JsonObject {
  return { format: 'batchwright/trace/v1', job, key, items: items.map(itemJson) };
}

function itemJson(item: TracedItem): JsonObject {
  const { request, setAside, waitsOn } = item;
  return {
    run: item.run,
    current: item.current,
    emulator: item.emulator,
    account: item.account,
    model: item.model,
    frozen_at: item.frozenAt,
    ordinal: item.ordinal,
    custom_id: item.customId,
    input_hash: item.inputHash,
    row: item.rowJson,
    request:
      request === null
        ? null
        : { hash: request.hash, bytes: request.bytes, input_tokens: request.inputTokens, body: request.body },
    set_aside: setAside === null ? null : { problem: setAside.problem, detail: setAside.detail },
    disposition: item.disposition,
    attempts: item.attempts.map(attemptJson),
    verdict: item.verdict === null ? null : verdictJson(item.verdict),
    waits_on: waitsOn === null ? null : { run: waitsOn.run, shard: waitsOn.shard, key: waitsOn.key },
    applied: item.sinks.map(({ kind, path, state, appliedAt, byRun }) => ({
      kind,
      path,
      state,
      applied_at: appliedAt,
      by_run: byRun,
    })),
  };
}

function attemptJson(attempt: TracedAttempt): JsonObject {
  const { batch } = attempt;
  return {
    shard: attempt.shard,
    kind: attempt.kind,
    second_of: attempt.secondOf,
    intent: attempt.intent,
    wire_id: attempt.wireId,
    announced_at: attempt.announcedAt,
    phase: attempt.phase,
    batch: batch === null ? null : { id: batch.id, state: batch.state },
    batch_error: attempt.batchError,
    max_tokens: attempt.maxTokens,
    raw: attempt.raw,
    outcome: attempt.outcome === null ? null : outcomeJson(attempt.outcome),
  };
}

function outcomeJson(outcome: TracedOutcome): JsonObject {
  const { usage } = outcome;
  return {
    class: outcome.class,
    first_class: outcome.firstClass,
    cause: outcome.cause,
    detail: outcome.detail,
    decision: outcome.decision,
    usage:
      usage === null
        ? null
        : {
            input_tokens: usage.inputTokens,
            output_tokens: usage.outputTokens,
            cached_tokens: usage.cachedTokens,
            reasoning_tokens: usage.reasoningTokens,
          },
    usd: outcome.usd,
    served_model: outcome.servedModel,
    response_id: outcome.responseId,
    settled_at: outcome.settledAt,
  };
}

/** The answer as the text that was accepted: parsed and printed again, 1.10 would become 1.1. */
function verdictJson(verdict: TracedVerdict): JsonObject {
  const { own, run, shard, key } = verdict.from;
  return {
    class: verdict.class,
    cause: verdict.cause,
    detail: verdict.detail,
    answer: verdict.answer,
    from: { own, run, shard, key },
    served_model: verdict.servedModel,
    response_id: verdict.responseId,
  };
}
