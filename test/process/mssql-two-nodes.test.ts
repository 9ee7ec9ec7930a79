// Owns the plug: two service processes on one SQL Server under the law of two nodes. Registered only where CHOKAQ_TEST_MSSQL_URL names a server.
import { vi } from 'vitest';
import { openSharedWorld } from './fixture/mssql.ts';
import { twoNodesSuite } from './two-nodes.suite.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

twoNodesSuite('one SQL Server', () => openSharedWorld());
