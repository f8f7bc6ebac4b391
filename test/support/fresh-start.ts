import { afterAll, vi } from "vitest";

/**
 * Before every test file. The files of one worker share the packages that they load, which takes long, and nothing else:
 * each has our own modules anew, the real time and the environment that the run began with.
 */
vi.resetModules();
const environment = { ...process.env };

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
});
