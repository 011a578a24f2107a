import type { JsonObject } from '../ids.ts';
import { statusJson } from './json.ts';
import type { ScenarioView } from './scenario-view.ts';

/** What `rehearse --scenario … --json` prints. */
export function scenariosJson(views: readonly ScenarioView[]): JsonObject {
  return { format: 'batchwright/scenarios/v1', scenarios: views.map(scenarioJson) };
}

function scenarioJson(view: ScenarioView): JsonObject {
  const { charged } = view;
  return {
    name: view.name,
    about: view.about,
    took_ms: view.tookMs,
    ended: view.ended,
    timeline: view.timeline.map(({ afterMs, level, text }) => ({ after_ms: afterMs, level, text })),
    charged: {
      requests: charged.requests,
      again: charged.again,
      input_tokens: charged.inputTokens,
      output_tokens: charged.outputTokens,
    },
    settled: { input_tokens: charged.settledInputTokens, output_tokens: charged.settledOutputTokens },
    jobs: view.jobs.map(statusJson),
  };
}
