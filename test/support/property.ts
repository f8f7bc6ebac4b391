import fc from "fast-check";
import { seedOfRun } from "./volume.ts";

/** A short run checks the same random values every time, so that none of them fails in a run that changed nothing. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seedOfRun() });

export default fc;
