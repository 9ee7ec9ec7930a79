-- Serves from: 1
--
-- What operators need beyond single jobs.

-- Nodes that wind down.
ALTER TABLE nodes ADD COLUMN is_draining INTEGER NOT NULL DEFAULT 0;
