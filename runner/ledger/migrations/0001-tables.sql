-- The ledger of one job. Everything here can be rebuilt from the journal and the files that it names.
-- Tables, columns and views are a published contract: change them by a new migration.

CREATE TABLE meta (lineage VARCHAR, journal_seq INTEGER, head VARCHAR, facts VARCHAR);
COMMENT ON TABLE meta IS 'How far the journal was projected: behind it, or of another lineage, the ledger is brought up or rebuilt.';
COMMENT ON COLUMN meta.facts IS 'Digest of everything that the dispositions were worked out from; NULL while a projection is unfinished.';

CREATE TYPE outcome_class AS ENUM (
  'ok', 'invalid_output', 'truncated', 'unknown_stop', 'invalid_request', 'rate_or_capacity', 'account', 'expired', 'cancelled',
  'refused', 'provider_error', 'missing', 'unreadable', 'lost', 'conflict', 'duplicate', 'late');

CREATE TABLE run (
  run INTEGER PRIMARY KEY, generation INTEGER, account VARCHAR, emulator BOOLEAN, items INTEGER, set_aside INTEGER,
  manifest VARCHAR, reason VARCHAR, frozen_at TIMESTAMP, standing VARCHAR, through_seq INTEGER, estimated_usd DOUBLE);
COMMENT ON TABLE run IS 'One generation of the job put to work.';
COMMENT ON COLUMN run.standing IS 'current, superseded, retired or withdrawn';
COMMENT ON COLUMN run.through_seq IS 'Every sink holds the answers that were settled up to this journal segment.';

CREATE TABLE item (run INTEGER, ordinal INTEGER, request UUID, problem BOOLEAN);
COMMENT ON TABLE item IS 'One row of a manifest; the view manifest has its key and texts.';
COMMENT ON COLUMN item.request IS 'Request hash: the first 16 bytes of the SHA-256 of endpoint and body. NULL where set aside.';

CREATE TABLE shard (
  run INTEGER, shard INTEGER, intent VARCHAR, kind VARCHAR, phase VARCHAR, batch VARCHAR, batch_state VARCHAR, items INTEGER,
  announced_at TIMESTAMP, created_at TIMESTAMP, ended_at TIMESTAMP, settled_seq INTEGER, settled_at TIMESTAMP, outcomes VARCHAR, cancelled_by VARCHAR,
  revised_seq INTEGER, revised_at TIMESTAMP, second_of INTEGER,
  PRIMARY KEY (run, shard));
COMMENT ON TABLE shard IS 'Items that travel as one provider batch.';
COMMENT ON COLUMN shard.outcomes IS 'The outcomes file: name in the store.';
COMMENT ON COLUMN shard.revised_seq IS 'The last journal segment in which an edited schema, or another reading of its results, changed some of its outcomes; NULL where none did.';
COMMENT ON COLUMN shard.cancelled_by IS 'Why we asked the provider to cancel it: person, deadline, stuck, withdrawn or second.';
COMMENT ON COLUMN shard.second_of IS 'The shard whose items this batch holds too, which nobody announced; NULL for all others.';

CREATE TABLE attempt (run INTEGER, shard INTEGER, ordinal INTEGER, class outcome_class, first_class outcome_class);
COMMENT ON TABLE attempt IS 'One try at an item inside one batch. class is NULL while it is open.';
COMMENT ON COLUMN attempt.first_class IS 'What it ended as when it was settled, where an edited schema or another reading has changed that since; else NULL.';

CREATE TABLE twin_attempt (
  run INTEGER, shard INTEGER, ordinal INTEGER, tried INTEGER, class outcome_class, first_class outcome_class);
COMMENT ON TABLE twin_attempt IS 'Closed attempts of an equal request of the same run: what became of it became of this item too.';
COMMENT ON COLUMN twin_attempt.tried IS 'The item that was sent.';

CREATE TABLE carried_attempt (
  run INTEGER, ordinal INTEGER, from_run INTEGER, shard INTEGER, tried INTEGER, class outcome_class, by_us BOOLEAN,
  revised BOOLEAN, pardoned BOOLEAN);
COMMENT ON TABLE carried_attempt IS
  'Attempts of earlier runs at requests of the current one that ended so that a person decides: an edit elsewhere does not buy them again.';
COMMENT ON COLUMN carried_attempt.shard IS 'A shard of from_run; tried is the item of it that was sent.';

CREATE TABLE answer (account VARCHAR, request UUID, verdict VARCHAR, run INTEGER, shard INTEGER, ordinal INTEGER, settled_seq INTEGER);
COMMENT ON TABLE answer IS 'What is known for a request of an account: the first ok, or an end that no retry changes.';
COMMENT ON COLUMN answer.verdict IS 'ok, refused or invalid_request';

CREATE TABLE applied (run INTEGER, sink VARCHAR, path VARCHAR, digest VARCHAR, rows INTEGER, through_seq INTEGER, applied_at TIMESTAMP);
COMMENT ON TABLE applied IS 'The proof that a sink holds the answers up to through_seq.';

CREATE TABLE spend (
  run INTEGER, shard INTEGER, account VARCHAR, emulator BOOLEAN, reserved_usd DOUBLE, settled_usd DOUBLE, wasted_usd DOUBLE,
  input_tokens BIGINT, output_tokens BIGINT, cached_tokens BIGINT, settled_at TIMESTAMP);
COMMENT ON TABLE spend IS 'One row a batch. settled_usd is NULL until it is settled, or where the price is unknown.';

CREATE TABLE pardon (run INTEGER, class outcome_class, seq INTEGER);
COMMENT ON TABLE pardon IS 'A person asked for another round: attempts that had ended in this class before seq count no more.';

CREATE TABLE released (run INTEGER, shard INTEGER, ordinal INTEGER);
COMMENT ON TABLE released IS 'Attempts whose results could not be read, and whose items went again by themselves: they count no more.';

CREATE TABLE decision_rule (
  class outcome_class, used INTEGER, invalid_output INTEGER, truncated INTEGER, cancelled_by_us BOOLEAN, revised BOOLEAN, pardoned BOOLEAN,
  decision VARCHAR);
COMMENT ON TABLE decision_rule IS 'The retry policy, worked out for every case that occurs.';

CREATE TABLE disposition_rule (
  problem BOOLEAN, verdict VARCHAR, applied BOOLEAN, flight VARCHAR, decision VARCHAR, standing VARCHAR, disposition VARCHAR);
COMMENT ON TABLE disposition_rule IS 'The disposition of an item, worked out for every combination of facts.';

-- A model gives such an answer again: nothing is bought for it without a person.
CREATE TABLE misfit (run INTEGER, shard INTEGER, ordinal INTEGER);
COMMENT ON TABLE misfit IS 'Attempts whose answer is, or was before an edit, valid by its schema and does not fit a column of a sink.';
