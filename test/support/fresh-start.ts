import { afterAll, vi } from "vitest";

/**
 * Runs before every test file. The files of one worker share only the packages that they load, because loading takes
 * long: each file gets its own instances of our modules, the real time and the environment of the run's start.
 */
vi.resetModules();
const environment = { ...process.env };

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
});
