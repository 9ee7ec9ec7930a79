// Owns result claims in T-SQL: which job may run a logical operation now, and the marker of one that has been done.
import { HOT } from './moved-rows.ts';
import { overtakenIf } from './session.ts';

/** A job that did not succeed leaves its operation to others. */
export const RELEASE_CLAIMS = `
  DELETE FROM chokaq.idempotency_claims WHERE state = 'in-progress' AND EXISTS (
    SELECT 1 FROM @moved m
    WHERE m.kind IN (${HOT.giveBack}, ${HOT.bury}) AND m.result_ttl_ms IS NOT NULL
      AND m.idempotency_key = idempotency_claims.idempotency_key AND m.id = idempotency_claims.job_id);`;

const ENTERS = `m.kind = ${HOT.start} AND m.life_ms IS NOT NULL`;
const COMPLETES = `m.kind = ${HOT.succeed} AND m.outcome = 'succeeded' AND m.result_ttl_ms IS NOT NULL AND m.idempotency_key IS NOT NULL`;

/** The marker is written by whoever succeeded, also when its claim had expired meanwhile: the operation is done. */
export const MARK_CLAIMS = `
  ${overtakenIf(`EXISTS (
    SELECT 1 FROM chokaq.idempotency_claims c JOIN @moved m ON m.idempotency_key = c.idempotency_key
    WHERE ${ENTERS} AND c.expires_at > @now AND (c.state = 'completed' OR c.job_id <> m.id))`)}
  DELETE FROM chokaq.idempotency_claims WHERE idempotency_key IN (
    SELECT m.idempotency_key FROM @moved m WHERE (${ENTERS}) OR (${COMPLETES}));
  INSERT INTO chokaq.idempotency_claims (idempotency_key, state, job_id, round, lease_id, claimed_at, life_ms, expires_at)
  SELECT m.idempotency_key, 'in-progress', m.id, m.round, m.lease_id, @now, m.life_ms, @now + m.life_ms
  FROM @moved m WHERE ${ENTERS}
  UNION ALL
  SELECT m.idempotency_key, 'completed', m.id, m.round, NULL, @now, m.result_ttl_ms, @now + m.result_ttl_ms
  FROM @moved m WHERE ${COMPLETES};`;
