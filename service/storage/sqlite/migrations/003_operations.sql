-- Serves from: 3
--
-- Operations that end otherwise than by finishing, and those on jobs that wait for a handler that was removed.

-- The instant by which the jobs are walked: of their failure, or of their creation.
ALTER TABLE operations RENAME COLUMN position_failed_at TO position_at;

-- finished, failed or cancelled; null while it goes on.
ALTER TABLE operations ADD COLUMN ended TEXT;
UPDATE operations SET ended = 'finished' WHERE finished_at IS NOT NULL;

-- Tries of the present batch that met a bug, and what the last of them met.
ALTER TABLE operations ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE operations ADD COLUMN error TEXT;
