// Owns error families: each dead job is counted in one, in the transaction of the move that brings or takes it.
import { FAMILIES_KEPT, OTHER_PREFIX } from '../../domain/error-family.ts';
import type { ErrorFamily, FamilyStore } from '../../ports/families.ts';
import { EXACT } from './counters.ts';
import type { Session } from './session.ts';

const TOP = `
  SELECT TOP (@limit) id, reason, prefix, jobs, newest_at FROM chokaq.error_families WHERE jobs > 0
  ORDER BY jobs DESC, newest_at DESC, id`;

const KNOWN = `SELECT 1 FROM chokaq.error_families e WHERE e.reason = f.reason AND e.prefix = f.prefix`;
const COUNT = `(SELECT COUNT(*) FROM chokaq.error_families WHERE prefix <> '${OTHER_PREFIX}')`;

/**
 * Counts dead jobs: `@family_rows` has the families they are of (texts of `@texts`), and `@joined` then which stored family each
 * of these is. When there are too many, those that stand empty give way.
 */
export const JOIN_FAMILIES = `
  DECLARE @wanted TABLE (i INT NOT NULL PRIMARY KEY, reason VARCHAR(40) NOT NULL, prefix NVARCHAR(400) ${EXACT} NOT NULL, jobs BIGINT NOT NULL);
  INSERT INTO @wanted SELECT j.i, j.reason, t.text, j.jobs
  FROM OPENJSON(@family_rows) WITH (i INT '$.i', reason VARCHAR(40) '$.reason', prefix INT '$.prefix', jobs BIGINT '$.jobs') j
  JOIN @texts t ON t.i = j.prefix;
  DECLARE @new TABLE (i INT NOT NULL PRIMARY KEY, place BIGINT NOT NULL);
  INSERT INTO @new SELECT f.i, ROW_NUMBER() OVER (ORDER BY f.i) FROM @wanted f
  WHERE f.prefix <> '${OTHER_PREFIX}' AND NOT EXISTS (${KNOWN});
  IF EXISTS (SELECT 1 FROM @new) BEGIN
    IF ${COUNT} + (SELECT COUNT(*) FROM @new) > ${FAMILIES_KEPT}
      DELETE FROM chokaq.error_families WHERE jobs <= 0 AND NOT EXISTS (
        SELECT 1 FROM @wanted f WHERE f.reason = error_families.reason AND f.prefix = error_families.prefix);
    DECLARE @room BIGINT = ${FAMILIES_KEPT} - ${COUNT};
    UPDATE @wanted SET prefix = '${OTHER_PREFIX}' WHERE i IN (SELECT i FROM @new WHERE place > @room);
    INSERT INTO chokaq.error_families (reason, prefix, jobs, newest_at)
    SELECT DISTINCT f.reason, f.prefix, 0, @now FROM @wanted f WHERE NOT EXISTS (${KNOWN});
  END
  UPDATE chokaq.error_families SET
    jobs = error_families.jobs + f.jobs,
    newest_at = CASE WHEN error_families.newest_at < @now THEN @now ELSE error_families.newest_at END
  FROM (SELECT reason, prefix, SUM(jobs) AS jobs FROM @wanted GROUP BY reason, prefix) f
  WHERE f.reason = error_families.reason AND f.prefix = error_families.prefix;
  DECLARE @joined TABLE (i INT NOT NULL PRIMARY KEY, id BIGINT NOT NULL);
  INSERT INTO @joined SELECT f.i, e.id FROM @wanted f JOIN chokaq.error_families e ON e.reason = f.reason AND e.prefix = f.prefix;`;

/**
 * Counts one less for each row of `rows`, a table variable or a subquery with `error_family` (null: none). A family's row stays
 * until its place is needed, so that an id does not change while jobs come and go.
 */
export function leaveFamilies(rows: string): string {
  return `
  UPDATE chokaq.error_families SET jobs = error_families.jobs - gone.jobs
  FROM (SELECT l.error_family, COUNT(*) AS jobs FROM ${rows} l WHERE l.error_family IS NOT NULL GROUP BY l.error_family) gone
  WHERE gone.error_family = error_families.id;`;
}

interface FamilyRow extends Pick<ErrorFamily, 'id' | 'reason' | 'prefix'> {
  readonly jobs: number;
  readonly newest_at: number;
}

export function familiesOver(session: Session): FamilyStore {
  return {
    top: async limit => {
      const answer = await session.read('topFamilies', TOP, { limit });
      return answer.rows<FamilyRow>().map(familyFrom);
    },
  };
}

function familyFrom({ id, reason, prefix, jobs: count, newest_at: newestAt }: FamilyRow): ErrorFamily {
  return { id, reason, prefix, count, newestAt };
}
