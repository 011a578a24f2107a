import { ENDPOINTS } from '../spec/job.ts';
import type { Profile } from './port.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * What each kind of provider allows and does, one row a fact, its source beside it. Code that differs by
 * provider asks this table; nothing else knows these numbers.
 */
export const PROFILES: Readonly<Record<Profile['kind'], Profile>> = {
  openai: {
    kind: 'openai',
    // OpenAI batch guide, and openai SDK 7.59.0 at `BatchCreateParams.input_file_id`: 50,000 requests.
    maxRequestsPerBatch: 50_000,
    // The same two places: "up to 200 MB". Neither says which megabyte, so the smaller is taken.
    maxBytesPerBatch: 200_000_000,
    // OpenAI batch guide: half the synchronous price, input and output alike.
    batchFactor: 0.5,
    // openai SDK 7.59.0, `completion_window`: only "24h" is supported.
    windowMs: 24 * HOUR,
    // OpenAI file reference, `expires_after.seconds`: one hour to 30 days. A week outlives the window, a
    // validation that lags, and the quarter of an hour in which a lost create is looked for.
    inputFileTtlMs: 7 * DAY,
    // Ours. No interval is documented; validation alone takes 20 s to 15 min, and polling is not billed.
    minPollMs: 30 * SECOND,
    // Ours. A create only stores a record; past a minute its answer is not coming.
    createTimeoutMs: MINUTE,
    // Ours. Read-after-write of the list is promised nowhere; another OpenAI-shaped service answered 404 for
    // up to ten seconds after a create.
    listGraceMs: 15 * MINUTE,
    // The batch endpoint takes more (openai SDK 7.59.0, `BatchCreateParams.endpoint`); these two we can encode.
    endpoints: ENDPOINTS,
    // OpenAI batch guide: output files are deleted 30 days after the batch has completed.
    resultsKeptMs: 30 * DAY,
  },
};

/** Against the emulator nobody's quota is spent by looking, and a rehearsal should not wait. */
export function profileOf(kind: Profile['kind'], emulator: boolean): Profile {
  const profile = PROFILES[kind];
  return emulator ? { ...profile, minPollMs: 100 } : profile;
}
