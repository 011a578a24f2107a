-- Views over the tables alone. Those over Parquet files (manifest, outcome) are made anew when the ledger is opened,
-- since they hold the paths of this checkout.

CREATE MACRO is_by_us(cancelled_by) AS coalesce(cancelled_by IN ('deadline', 'stuck', 'withdrawn'), false);

-- Who asks for rows whose results cannot be read need not ask again when these prove lost.
CREATE MACRO is_pardoned_by(class, asked) AS asked = class OR (asked = 'unreadable' AND class = 'lost');

-- When an attempt ended so: a retry that was asked for before says nothing about a row that nobody could read then.
CREATE MACRO ended_seq(class, first_class, settled_seq, revised_seq) AS
  CASE WHEN first_class IS NULL OR class IN ('unreadable', 'lost') THEN settled_seq ELSE revised_seq END;

CREATE MACRO is_misfit(of_run, of_shard, of_ordinal, class) AS class = 'invalid_output'
  AND EXISTS (FROM misfit f WHERE f.run = of_run AND f.shard = of_shard AND f.ordinal = of_ordinal);

CREATE VIEW counted_attempt AS
  SELECT a.run, a.ordinal, a.run AS from_run, a.tried, a.shard, a.class, is_by_us(s.cancelled_by) AS by_us,
    coalesce(a.first_class IN ('ok', 'conflict'), false) OR is_misfit(a.run, a.shard, a.tried, a.class) AS revised,
    EXISTS (FROM pardon p WHERE p.run = a.run AND is_pardoned_by(a.class, p.class)
      AND ended_seq(a.class, a.first_class, s.settled_seq, s.revised_seq) < p.seq)
      OR (a.class IN ('unreadable', 'lost') AND EXISTS (FROM released l WHERE l.run = a.run AND l.shard = a.shard AND l.ordinal = a.tried)) AS pardoned
  FROM (SELECT run, shard, ordinal, ordinal AS tried, class, first_class FROM attempt WHERE class IS NOT NULL
        UNION ALL SELECT run, shard, ordinal, tried, class, first_class FROM twin_attempt) a
    JOIN shard s USING (run, shard)
  WHERE a.class NOT IN ('duplicate', 'late')
  UNION ALL
  SELECT run, ordinal, from_run, tried, shard, class, by_us, revised, pardoned FROM carried_attempt;
COMMENT ON VIEW counted_attempt IS 'Closed attempts at an item, its own and those that it takes over; pardoned ones count against no limit, lines of second batches decide nothing.';

CREATE VIEW item_tries AS
  SELECT run, ordinal,
    (count(*) FILTER (NOT pardoned AND class NOT IN ('rate_or_capacity', 'account', 'duplicate', 'late')))::INTEGER AS used,
    (count(*) FILTER (NOT pardoned AND class = 'invalid_output'))::INTEGER AS invalid_output,
    (count(*) FILTER (NOT pardoned AND class = 'truncated'))::INTEGER AS truncated,
    arg_max(class, (from_run::BIGINT << 32) + shard) AS last_class,
    arg_max(from_run, (from_run::BIGINT << 32) + shard)::INTEGER AS last_run,
    arg_max(shard, (from_run::BIGINT << 32) + shard)::INTEGER AS last_shard,
    arg_max(tried, (from_run::BIGINT << 32) + shard) AS last_tried,
    arg_max(by_us, (from_run::BIGINT << 32) + shard) AS cancelled_by_us,
    arg_max(revised, (from_run::BIGINT << 32) + shard) AS revised,
    arg_max(pardoned, (from_run::BIGINT << 32) + shard) AS pardoned
  FROM counted_attempt GROUP BY run, ordinal;
COMMENT ON VIEW item_tries IS 'How often each item was tried, by what counts against which limit.';

CREATE VIEW kept_attempt AS
  SELECT r.account, i.request, a.run AS from_run, a.shard, a.ordinal AS tried, a.class, is_by_us(s.cancelled_by) AS by_us,
    coalesce(a.first_class IN ('ok', 'conflict'), false) OR is_misfit(a.run, a.shard, a.ordinal, a.class) AS revised,
    EXISTS (FROM pardon p WHERE is_pardoned_by(a.class, p.class)
      AND ended_seq(a.class, a.first_class, s.settled_seq, s.revised_seq) < p.seq)
      OR (a.class IN ('unreadable', 'lost') AND EXISTS (FROM released l WHERE l.run = a.run AND l.shard = a.shard AND l.ordinal = a.ordinal)) AS pardoned
  FROM attempt a JOIN shard s USING (run, shard) JOIN item i USING (run, ordinal) JOIN run r USING (run)
  WHERE a.class IN ('invalid_output', 'truncated', 'unknown_stop', 'conflict', 'unreadable', 'lost') OR (a.class = 'cancelled' AND NOT is_by_us(s.cancelled_by));
COMMENT ON VIEW kept_attempt IS 'Attempts of any run after which a person decides. A later run that makes the same request takes them over.';

CREATE VIEW kept_tries AS
  SELECT account, request,
    (count(*) FILTER (NOT pardoned))::INTEGER AS used,
    (count(*) FILTER (NOT pardoned AND class = 'invalid_output'))::INTEGER AS invalid_output,
    (count(*) FILTER (NOT pardoned AND class = 'truncated'))::INTEGER AS truncated,
    arg_max(class, (from_run::BIGINT << 32) + shard) AS last_class,
    arg_max(by_us, (from_run::BIGINT << 32) + shard) AS cancelled_by_us,
    arg_max(revised, (from_run::BIGINT << 32) + shard) AS revised,
    arg_max(pardoned, (from_run::BIGINT << 32) + shard) AS pardoned
  FROM kept_attempt GROUP BY account, request;
COMMENT ON VIEW kept_tries IS 'The same counts as item_tries, for a request that no run has yet: what a new run would take over.';

CREATE VIEW open_request AS
  SELECT r.account, i.request, bool_and(s.phase = 'intent') AS ambiguous
  FROM attempt a JOIN shard s USING (run, shard) JOIN item i USING (run, ordinal) JOIN run r USING (run)
  WHERE a.class IS NULL GROUP BY r.account, i.request;
COMMENT ON VIEW open_request IS 'Requests that are under way, in whatever run.';

CREATE MACRO verdict_for(verdict, own) AS
  CASE WHEN verdict IS NULL THEN 'none' WHEN verdict <> 'ok' THEN verdict WHEN own THEN 'own' ELSE 'reused' END;

CREATE MACRO flight_for(ambiguous) AS CASE WHEN ambiguous IS NULL THEN 'none' WHEN ambiguous THEN 'ambiguous' ELSE 'live' END;

CREATE VIEW item_state AS
  SELECT i.run, i.ordinal, i.request, i.problem,
    verdict_for(w.verdict, w.run = i.run AND w.ordinal = i.ordinal) AS verdict,
    coalesce(w.settled_seq <= r.through_seq, false) AS applied,
    flight_for(o.ambiguous) AS flight,
    r.standing, t.last_class, t.last_run, t.last_shard, t.last_tried, t.used, t.invalid_output, t.truncated, t.cancelled_by_us, t.revised,
    t.pardoned,
    w.run AS answer_run, w.shard AS answer_shard, w.ordinal AS answer_ordinal
  FROM item i JOIN run r USING (run)
    LEFT JOIN answer w ON w.account = r.account AND w.request = i.request
    LEFT JOIN open_request o ON o.account = r.account AND o.request = i.request
    LEFT JOIN item_tries t ON t.run = i.run AND t.ordinal = i.ordinal;
COMMENT ON VIEW item_state IS 'What is known of an item before the retry policy is asked.';

CREATE VIEW item_state_alone AS
  SELECT i.run, i.ordinal, i.request, i.problem,
    verdict_for(w.verdict, true) AS verdict,
    coalesce(w.settled_seq <= r.through_seq, false) AS applied,
    flight_for(o.ambiguous) AS flight,
    r.standing, t.last_class, t.last_run, t.last_shard, t.last_tried, t.used, t.invalid_output, t.truncated, t.cancelled_by_us, t.revised,
    t.pardoned,
    w.run AS answer_run, w.shard AS answer_shard, w.ordinal AS answer_ordinal
  FROM item i JOIN run r USING (run)
    LEFT JOIN answer w ON w.run = i.run AND w.ordinal = i.ordinal
    LEFT JOIN (
      SELECT a.run, a.ordinal, bool_and(s.phase = 'intent') AS ambiguous
      FROM attempt a JOIN shard s USING (run, shard) WHERE a.class IS NULL GROUP BY a.run, a.ordinal
    ) o ON o.run = i.run AND o.ordinal = i.ordinal
    LEFT JOIN item_tries t ON t.run = i.run AND t.ordinal = i.ordinal;
COMMENT ON VIEW item_state_alone IS
  'The same where no request occurs twice in the ledger: then only the item itself can have asked for it, and a range of items needs a range of answers and not all of them.';

CREATE MACRO decision_for(last_class, decision) AS
  CASE WHEN last_class IS NULL OR last_class IN ('ok', 'duplicate', 'late') THEN 'none' ELSE coalesce(decision, 'hold') END;

CREATE VIEW item_fact AS
  SELECT s.run, s.ordinal, s.request, s.problem, s.verdict, s.applied, s.flight,
    decision_for(s.last_class, d.decision) AS decision,
    s.standing, s.last_class, s.last_run, s.last_shard, s.last_tried, coalesce(s.used, 0) AS used, coalesce(s.truncated, 0) AS truncated,
    s.answer_run, s.answer_shard, s.answer_ordinal
  FROM item_state s
    LEFT JOIN decision_rule d ON d.class = s.last_class AND d.used = s.used
      AND d.invalid_output = s.invalid_output AND d.truncated = s.truncated
      AND d.cancelled_by_us = s.cancelled_by_us AND d.revised = s.revised AND d.pardoned = s.pardoned;
COMMENT ON VIEW item_fact IS 'Everything that decides the disposition of an item.';

-- How many items of a run share everything that `item_fact` says of what is to become of them. Counted before the policy
-- is looked up: a million items come in a handful of combinations, and to look each of them up takes longer than all else.
CREATE MACRO item_fact_counts(of_run, first_ordinal, last_ordinal) AS TABLE
  SELECT g.problem, g.verdict, g.applied, g.flight, decision_for(g.last_class, d.decision) AS decision, g.standing, g.last_class,
    coalesce(g.truncated, 0) AS truncated, g.n
  FROM (
    SELECT problem, verdict, applied, flight, standing, last_class, used, invalid_output, truncated, cancelled_by_us, revised,
      pardoned, count(*) AS n
    FROM item_state WHERE run = of_run AND ordinal BETWEEN first_ordinal AND last_ordinal GROUP BY ALL) g
    LEFT JOIN decision_rule d ON d.class = g.last_class AND d.used = g.used
      AND d.invalid_output = g.invalid_output AND d.truncated = g.truncated
      AND d.cancelled_by_us = g.cancelled_by_us AND d.revised = g.revised AND d.pardoned = g.pardoned;

CREATE MACRO item_fact_counts_alone(of_run, first_ordinal, last_ordinal) AS TABLE
  SELECT g.problem, g.verdict, g.applied, g.flight, decision_for(g.last_class, d.decision) AS decision, g.standing, g.last_class,
    coalesce(g.truncated, 0) AS truncated, g.n
  FROM (
    SELECT problem, verdict, applied, flight, standing, last_class, used, invalid_output, truncated, cancelled_by_us, revised,
      pardoned, count(*) AS n
    FROM item_state_alone WHERE run = of_run AND ordinal BETWEEN first_ordinal AND last_ordinal GROUP BY ALL) g
    LEFT JOIN decision_rule d ON d.class = g.last_class AND d.used = g.used
      AND d.invalid_output = g.invalid_output AND d.truncated = g.truncated
      AND d.cancelled_by_us = g.cancelled_by_us AND d.revised = g.revised AND d.pardoned = g.pardoned;

CREATE VIEW disposition AS
  SELECT f.*, x.disposition FROM item_fact f
    JOIN disposition_rule x ON x.problem = f.problem AND x.verdict = f.verdict AND x.applied = f.applied
      AND x.flight = f.flight AND x.decision = f.decision AND x.standing = f.standing;
COMMENT ON VIEW disposition IS 'What became of each item: SELECT disposition, count(*) FROM disposition WHERE run = 1 GROUP BY 1 are the books.';

CREATE VIEW retry_ledger AS
  SELECT a.run, a.ordinal, a.shard, a.class,
    row_number() OVER (PARTITION BY a.run, a.ordinal ORDER BY a.shard) AS try,
    lag(a.shard) OVER (PARTITION BY a.run, a.ordinal ORDER BY a.shard) AS after_shard,
    CASE WHEN a.class IN ('duplicate', 'late') THEN 'none' WHEN a.shard = f.last_shard AND a.run = f.last_run THEN f.decision ELSE 'retry' END AS decision
  FROM attempt a JOIN item_fact f USING (run, ordinal)
  WHERE a.class IS NOT NULL AND a.class <> 'ok';
COMMENT ON VIEW retry_ledger IS 'Each failed attempt, its class, what was decided, and the shard of the try before it.';

CREATE VIEW event AS
  SELECT frozen_at AS happened_at, 'run.frozen' AS type, run, NULL::INTEGER AS shard, items || ' items, ' || reason AS what FROM run
  UNION ALL SELECT announced_at, 'submit.intent', run, shard, items || ' items, ' || kind FROM shard
  UNION ALL SELECT created_at, 'batch.created', run, shard, batch FROM shard WHERE created_at IS NOT NULL
  UNION ALL SELECT ended_at, 'batch.ended', run, shard, batch_state FROM shard WHERE ended_at IS NOT NULL
  UNION ALL SELECT settled_at, 'outcomes.settled', run, shard, outcomes FROM shard WHERE settled_at IS NOT NULL
  UNION ALL SELECT revised_at, 'outcomes.revised', run, shard, outcomes FROM shard WHERE revised_at IS NOT NULL
  UNION ALL SELECT applied_at, 'applied', run, NULL, rows || ' rows to ' || sink FROM applied;
COMMENT ON VIEW event IS 'What happened to the job, and when.';
