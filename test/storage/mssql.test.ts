// Owns the plug: SQL Server under the law of the store. Registered only where CHOKAQ_TEST_MSSQL_URL names a server.

import { vi } from 'vitest';
import { openWorld, TEST_URL } from './mssql/world.ts';
import { storeSuite } from './store.suite.ts';

/** A server that has just started, or is small, compiles each statement for seconds. */
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const url = TEST_URL;
if (url !== undefined) storeSuite('SQL Server', () => openWorld(url));
