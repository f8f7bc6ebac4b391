/** The weaknesses that scanners report most often, described for the reader of an alert: what it is, what to do. */
export type Weakness = { readonly name: string; readonly meaning: string; readonly remedy: string };

const known: Readonly<Record<string, readonly [name: string, meaning: string, remedy: string]>> = {
  "CWE-20": [
    "Improper input validation",
    "Input is used before anything has made sure that it has the form the code relies on.",
    "Check type, length, range and form at the border, and refuse what does not fit.",
  ],
  "CWE-22": [
    "Path traversal",
    "A path is built from input, so that sequences such as `../` lead out of the intended folder.",
    "Resolve the path, make sure that it still lies in the folder, or map input to known names.",
  ],
  "CWE-74": [
    "Injection",
    "Input becomes part of a text that another component takes as commands.",
    "Pass data apart from the command, with the component's own means for parameters.",
  ],
  "CWE-77": [
    "Command injection",
    "Input becomes part of a command line.",
    "Start programs with a list of arguments and without a shell; allow only known values.",
  ],
  "CWE-78": [
    "Operating system command injection",
    "Input reaches a shell, which runs whatever it contains.",
    "Start programs with a list of arguments and without a shell; allow only known values.",
  ],
  "CWE-79": [
    "Cross-site scripting",
    "Input is put into a page without encoding, so that it runs as script in other people's browsers.",
    "Encode for the place where it is put, prefer templates that do so, and add a content security policy.",
  ],
  "CWE-89": [
    "SQL injection",
    "Input becomes part of a statement's text, so that it can change what the statement does.",
    "Use parameters or a query builder; never join input into a statement.",
  ],
  "CWE-90": [
    "LDAP injection",
    "Input becomes part of a directory query.",
    "Encode it for filters and names, or allow only known values.",
  ],
  "CWE-94": [
    "Code injection",
    "Input is run as code.",
    "Do not evaluate input; use data formats and tables of known functions.",
  ],
  "CWE-113": [
    "HTTP response splitting",
    "Input with line breaks reaches a header, so that it can add headers or a whole answer.",
    "Refuse carriage return and line feed in everything that becomes a header.",
  ],
  "CWE-117": [
    "Log injection",
    "Input with line breaks reaches a log, so that it can forge entries.",
    "Write structured logs, or encode line breaks.",
  ],
  "CWE-119": [
    "Memory access out of bounds",
    "Memory is read or written outside of the buffer that was meant.",
    "Check indexes and lengths, or use types that do.",
  ],
  "CWE-120": [
    "Buffer overflow",
    "Data is copied into a buffer that may be too small for it.",
    "Copy with the size of the target, or use types that grow.",
  ],
  "CWE-125": [
    "Out-of-bounds read",
    "Memory beyond the end of a buffer is read.",
    "Check indexes and lengths before reading.",
  ],
  "CWE-190": [
    "Integer overflow",
    "A computation can exceed the range of its type and wrap around.",
    "Check the range before computing, or use checked arithmetic.",
  ],
  "CWE-200": [
    "Exposure of sensitive information",
    "Somebody learns what they should not.",
    "Send only what the caller needs, and keep details of the inside out of answers.",
  ],
  "CWE-209": [
    "Error message with sensitive information",
    "An error tells callers about the inside of the system.",
    "Answer with a general sentence and a reference; keep the details in the log.",
  ],
  "CWE-284": [
    "Improper access control",
    "Something can be reached by those who should not reach it.",
    "Check every access on the server, and deny by default.",
  ],
  "CWE-285": [
    "Improper authorization",
    "An action is done without checking, or with a wrong check, that the caller may do it.",
    "Check the right to the action and to the object at every call.",
  ],
  "CWE-287": [
    "Improper authentication",
    "Who the caller is, is not proven or can be faked.",
    "Use a proven scheme, and verify every token in full.",
  ],
  "CWE-295": [
    "Improper certificate validation",
    "The other side's certificate is not checked, so that anybody can stand in between.",
    "Leave verification on, and check the host name.",
  ],
  "CWE-306": [
    "Missing authentication",
    "An important function can be called by anybody.",
    "Require authentication before it.",
  ],
  "CWE-307": [
    "Unlimited authentication attempts",
    "Passwords or codes can be tried as often as one likes.",
    "Limit attempts by account and by address, and slow them down.",
  ],
  "CWE-312": [
    "Sensitive information stored in the clear",
    "Sensitive data is stored without encryption.",
    "Encrypt it, or store only a digest where that is enough.",
  ],
  "CWE-319": [
    "Sensitive information sent in the clear",
    "Sensitive data crosses a network without encryption.",
    "Use TLS everywhere, and refuse to fall back.",
  ],
  "CWE-321": [
    "Hard-coded cryptographic key",
    "A key stands in the source.",
    "Move it to a key store, and replace it: whoever read the source knows it.",
  ],
  "CWE-327": [
    "Broken or risky cryptography",
    "An algorithm or a mode is used that is known to be breakable.",
    "Use current algorithms through a well-kept library, and authenticated modes.",
  ],
  "CWE-328": [
    "Weak hash",
    "A hash is used for which collisions or originals can be found.",
    "Use SHA-256 or better, and a slow password hash for passwords.",
  ],
  "CWE-330": [
    "Insufficient randomness",
    "Values that must not be guessed come from a source that can be.",
    "Use the platform's cryptographic generator.",
  ],
  "CWE-338": [
    "Weak random number generator",
    "Secrets come from a generator that was not made for them.",
    "Use the platform's cryptographic generator.",
  ],
  "CWE-347": [
    "Improper verification of a signature",
    "A signature is not checked, or not in full.",
    "Verify it with a fixed algorithm and a known key, before reading the content.",
  ],
  "CWE-352": [
    "Cross-site request forgery",
    "Another site can make a person's browser send a request that changes something.",
    "Require a token or a same-site cookie for every change.",
  ],
  "CWE-362": [
    "Race condition",
    "The outcome depends on the timing of things that run side by side.",
    "Check and act in one atomic step, or under a lock.",
  ],
  "CWE-384": [
    "Session fixation",
    "A session's identifier stays the same when a person signs in.",
    "Make a new identifier at every sign-in.",
  ],
  "CWE-400": [
    "Uncontrolled resource consumption",
    "Input decides how much time or memory is used.",
    "Set bounds on sizes, counts and time.",
  ],
  "CWE-416": [
    "Use after free",
    "Memory is used after it was given back.",
    "Let one owner decide its life, and clear references to it.",
  ],
  "CWE-434": [
    "Unrestricted file upload",
    "Files of any kind are accepted, among them ones that will be run.",
    "Accept known kinds by their content, rename them, and store them where nothing runs.",
  ],
  "CWE-476": [
    "Null pointer dereference",
    "A value that may be absent is used as if it were there.",
    "Handle the absent case first.",
  ],
  "CWE-502": [
    "Deserialization of untrusted data",
    "Objects are rebuilt from input, which can run code on the way.",
    "Use a plain data format, and check it against a schema.",
  ],
  "CWE-522": [
    "Insufficiently protected credentials",
    "Credentials are stored or sent in a way that lets others read them.",
    "Keep them in a secret store, send them only over TLS, and never log them.",
  ],
  "CWE-532": [
    "Sensitive information in a log",
    "Secrets or personal data are written to a log.",
    "Leave them out, or mask them before writing.",
  ],
  "CWE-601": [
    "Open redirect",
    "Input decides where a browser is sent.",
    "Redirect only to known addresses or to paths of the own site.",
  ],
  "CWE-611": [
    "XML external entities",
    "An XML parser follows references of the document to files and addresses.",
    "Switch off external entities and document types.",
  ],
  "CWE-614": [
    "Cookie without Secure",
    "A sensitive cookie can travel over an unencrypted connection.",
    "Set Secure, HttpOnly and SameSite.",
  ],
  "CWE-639": [
    "Authorization bypass through an identifier",
    "An identifier in the request decides whose data is used, without a check that the caller may.",
    "Check that the object belongs to the caller at every access.",
  ],
  "CWE-732": [
    "Incorrect permissions of a resource",
    "An important resource can be read or changed by too many.",
    "Give access to those who need it only.",
  ],
  "CWE-770": [
    "Allocation without limits",
    "Callers can make the system allocate as much as they like.",
    "Set limits and quotas.",
  ],
  "CWE-787": [
    "Out-of-bounds write",
    "Memory beyond the end of a buffer is written.",
    "Check indexes and lengths before writing, or use types that do.",
  ],
  "CWE-798": [
    "Hard-coded credentials",
    "A password, key or token stands in the source.",
    "Move it to a secret store, and replace it: whoever read the source knows it.",
  ],
  "CWE-862": [
    "Missing authorization",
    "An action is done without checking that the caller may do it.",
    "Check the right to the action and to the object at every call.",
  ],
  "CWE-863": [
    "Incorrect authorization",
    "The check whether a caller may do something can be passed by those who may not.",
    "Decide rights in one place, deny by default, and test the refusals.",
  ],
  "CWE-915": [
    "Mass assignment",
    "A request can set fields that it was not meant to set.",
    "Take only named fields from requests.",
  ],
  "CWE-916": [
    "Password hash with too little effort",
    "Stored passwords can be tried out quickly.",
    "Use a slow password hash such as Argon2id, scrypt or bcrypt.",
  ],
  "CWE-918": [
    "Server-side request forgery",
    "Input decides which address the server calls, also inside its own network.",
    "Allow only known hosts, refuse private addresses, and do not follow redirects.",
  ],
  "CWE-943": [
    "Injection into a data query",
    "Input becomes part of a query's logic.",
    "Pass it as a value of a fixed query, and refuse objects where text is expected.",
  ],
  "CWE-1004": [
    "Cookie without HttpOnly",
    "Scripts of a page can read a sensitive cookie.",
    "Set HttpOnly, Secure and SameSite.",
  ],
  "CWE-1321": [
    "Prototype pollution",
    "Input can set properties that all objects inherit.",
    "Refuse `__proto__`, `constructor` and `prototype` as keys, or use maps.",
  ],
  "CWE-1333": [
    "Inefficient regular expression",
    "Some inputs make a regular expression take very long.",
    "Rewrite it without nested repetition, or bound the length of its input.",
  ],
};

/** A weakness outside the list is described by its number; the link leads to its full description. */
export function weaknessOf(cwe: string | null): Weakness {
  const entry = cwe !== null && Object.hasOwn(known, cwe) ? known[cwe] : undefined;
  if (entry) {
    const [name, meaning, remedy] = entry;
    return { name, meaning, remedy };
  }
  return {
    name: cwe === null ? "Security finding" : `Weakness ${cwe}`,
    meaning: "A security scan found a weakness in the code.",
    remedy: "The finding's message says what was found and where; the evidence shows how it is reached.",
  };
}
