import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores on the smallest machine we build on: more workers only fight each other.
    maxWorkers: 2,
    unstubEnvs: true,
  },
});
