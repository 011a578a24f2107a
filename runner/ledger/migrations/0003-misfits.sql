-- Answers that their schema lets through and a sink cannot hold. A model gives the same answer again: nothing is bought for it
-- without a person.

CREATE TABLE misfit (run INTEGER, shard INTEGER, ordinal INTEGER);
COMMENT ON TABLE misfit IS 'Attempts whose answer is, or was before an edit, valid by its schema and does not fit a column of a sink.';

CREATE MACRO is_misfit(of_run, of_shard, of_ordinal, class) AS class = 'invalid_output'
  AND EXISTS (FROM misfit f WHERE f.run = of_run AND f.shard = of_shard AND f.ordinal = of_ordinal);

CREATE OR REPLACE VIEW counted_attempt AS
  SELECT a.run, a.ordinal, a.run AS from_run, a.tried, a.shard, a.class, is_by_us(s.cancelled_by) AS by_us,
    coalesce(a.first_class IN ('ok', 'conflict'), false) OR is_misfit(a.run, a.shard, a.tried, a.class) AS revised,
    EXISTS (FROM pardon p WHERE p.run = a.run AND is_pardoned_by(a.class, p.class)
      AND CASE WHEN a.first_class = 'ok' THEN s.revised_seq ELSE s.settled_seq END < p.seq)
      OR (a.class IN ('unreadable', 'lost') AND EXISTS (FROM released l WHERE l.run = a.run AND l.shard = a.shard AND l.ordinal = a.tried)) AS pardoned
  FROM (SELECT run, shard, ordinal, ordinal AS tried, class, first_class FROM attempt WHERE class IS NOT NULL
        UNION ALL SELECT run, shard, ordinal, tried, class, first_class FROM twin_attempt) a
    JOIN shard s USING (run, shard)
  WHERE a.class NOT IN ('duplicate', 'late')
  UNION ALL
  SELECT run, ordinal, from_run, tried, shard, class, by_us, revised, pardoned FROM carried_attempt;
COMMENT ON VIEW counted_attempt IS 'Closed attempts at an item, its own and those that it takes over; pardoned ones count against no limit, lines of second batches decide nothing.';

CREATE OR REPLACE VIEW kept_attempt AS
  SELECT r.account, i.request, a.run AS from_run, a.shard, a.ordinal AS tried, a.class, is_by_us(s.cancelled_by) AS by_us,
    coalesce(a.first_class IN ('ok', 'conflict'), false) OR is_misfit(a.run, a.shard, a.ordinal, a.class) AS revised,
    EXISTS (FROM pardon p WHERE is_pardoned_by(a.class, p.class)
      AND CASE WHEN a.first_class = 'ok' THEN s.revised_seq ELSE s.settled_seq END < p.seq)
      OR (a.class IN ('unreadable', 'lost') AND EXISTS (FROM released l WHERE l.run = a.run AND l.shard = a.shard AND l.ordinal = a.ordinal)) AS pardoned
  FROM attempt a JOIN shard s USING (run, shard) JOIN item i USING (run, ordinal) JOIN run r USING (run)
  WHERE a.class IN ('invalid_output', 'truncated', 'unknown_stop', 'conflict', 'unreadable', 'lost') OR (a.class = 'cancelled' AND NOT is_by_us(s.cancelled_by));
COMMENT ON VIEW kept_attempt IS 'Attempts of any run after which a person decides. A later run that makes the same request takes them over.';
