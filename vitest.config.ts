// Owns how tests run: against the compiled service in `dist/`, so that what is tested is what ships.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/fixtures/keep-native.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: 'forks',
    // One more than the two cores of the machine it is made for: tests of processes spend much of their time waiting.
    maxWorkers: 3,
  },
});
