import type { LocalPage } from "./gateway.ts";

/** Pages of the local service beside the API: one entry each. */
export const localPages: readonly LocalPage[] = [];
