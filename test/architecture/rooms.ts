/** Rooms of lib that run on a laptop or in a pipeline. The import rules keep them out of every function. */
export const besideTheService = [
  "lib/checks",
  "lib/generate",
  "lib/local",
  "lib/mirror",
  "lib/operator",
  "lib/roster",
];
