// Owns the plug: SQL Server under the law of the store. Registered only where CHOKAQ_TEST_MSSQL_URL names a server.

import { openWorld, TEST_URL } from './mssql/world.ts';
import { storeSuite } from './store.suite.ts';

const url = TEST_URL;
if (url !== undefined) storeSuite('SQL Server', () => openWorld(url));
