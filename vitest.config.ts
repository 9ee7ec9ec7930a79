// Owns how tests run: against the compiled service in `dist/`, so that what is tested is what ships.
import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that need a server are not registered where none is named. */
const ELSEWHERE = process.env.CHOKAQ_TEST_MSSQL_URL === undefined ? ['test/**/mssql*.test.ts'] : [];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...ELSEWHERE],
    setupFiles: ['test/fixtures/keep-native.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: 'forks',
    // One more than the two cores of the machine it is made for: tests of processes spend much of their time waiting.
    maxWorkers: 3,
  },
});
