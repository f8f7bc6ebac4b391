import schema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" with { type: "json" };
import draft04 from "ajv-draft-04";
import formats from "ajv-formats";

// One of the schema's own patterns is not a valid regular expression under the stricter rules of the u flag.
const ajv = new draft04.default({ strict: false, allErrors: true, unicodeRegExp: false });
formats.default(ajv);
const validate = ajv.compile(schema);

/** The errors of the OASIS schema, including URI and time formats; empty if the log is valid. */
export const sarifProblems = (log: unknown): string[] =>
  validate(log)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
