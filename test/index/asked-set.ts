/**
 * Questions as colleagues ask them, in other words than the Learnings that answer them. `knownQuestions` is about the
 * Learnings of the measured set and may be read while the local embedder is developed. The held-out part has its own
 * Learnings and was written before that work began: it is used only to measure. The same author wrote the vocabulary
 * afterwards, so the result is better than with questions from a stranger.
 */
export type Asked = { readonly wants: string; readonly question: string };

export const knownQuestions: readonly Asked[] = [
  { wants: "money", question: "Is it fine to keep the cart sum as a decimal double?" },
  { wants: "clock", question: "How do I make code testable that depends on the current time?" },
  { wants: "migrations", question: "Can I add a required field to the customer table without downtime?" },
  { wants: "logs", question: "May I print the user's mail when sign-up fails, to help debugging?" },
  { wants: "retries", question: "The card charge call sometimes fails with 502, can I just repeat it?" },
  { wants: "pagination", question: "What is the right way to return results in chunks from our API?" },
  { wants: "secrets", question: "Where should the database credentials of the service live?" },
  { wants: "featureFlags", question: "I am adding a toggle for the beta checkout, what must I write down?" },
  { wants: "css", question: "Can I put the brand color directly into the stylesheet?" },
  {
    wants: "accessibility",
    question: "How should a clickable trash symbol be marked up for screen readers?",
  },
  {
    wants: "sqlInjection",
    question: "Is concatenating the name into the where clause okay if it is escaped?",
  },
  { wants: "transactions", question: "Should the confirmation mail go out before or after we commit?" },
  { wants: "timeouts", question: "What happens if the remote service never answers our call?" },
  { wants: "nullability", question: "What should a finder method give back when there is no row?" },
  { wants: "kafka", question: "Our event handler inserted the same order twice after a restart, why?" },
  { wants: "goErrors", question: "How do I add a message to an error in Go and keep the original cause?" },
  { wants: "mutableDefaults", question: "Why does my function remember items of an earlier invocation?" },
  { wants: "reactKeys", question: "Rows of the list get mixed up after sorting, what did I do wrong?" },
  { wants: "reactEffects", question: "The page keeps listening for price updates after it was closed." },
  { wants: "i18n", question: "How do we show this sentence to French customers?" },
  { wants: "docker", question: "Which account should the process inside the container use?" },
  { wants: "kubernetes", question: "The pod was killed because it ate all the RAM of the node." },
  { wants: "caching", question: "A client saw somebody else's numbers after we put redis in front." },
  { wants: "authorization", question: "The nightly job could remove projects its owner had no rights for." },
  { wants: "passwords", question: "Which algorithm do we use to store login credentials?" },
  { wants: "csv", question: "Opening the downloaded report in Excel executed something." },
  { wants: "regex", question: "One long string in the search box made the server spin at full CPU." },
  { wants: "tests", question: "The suite sometimes fails because it waits a few seconds for the queue." },
  { wants: "deprecation", question: "When may we switch off an old API call that customers still use?" },
  { wants: "graphql", question: "Fetching a hundred orders fires a hundred selects for their buyers." },
  { wants: "uploads", question: "Someone renamed an exe to pdf and sent it to us." },
  { wants: "webhooks", question: "How do we know that a callback really comes from the payment company?" },
  { wants: "shell", question: "The deploy script carried on after a command had failed." },
  { wants: "timezone", question: "How do we save the moment of an appointment for people abroad?" },
  { wants: "indexes", question: "Removing a customer takes minutes since orders are linked to it." },
  { wants: "cppOwnership", question: "Who frees this object when the scene is torn down?" },
];

export const heldOutLearnings: Readonly<Record<string, string>> = {
  locks:
    "Take locks in alphabetical order of their names. Two services that locked accounts the other way round deadlocked.",
  queueSize:
    "In-memory queues are bounded. When one is full, reject the request with 503 instead of growing the heap.",
  backups:
    "A restore of the nightly backup is rehearsed every month; a dump nobody has restored does not count.",
  emails: "Compare e-mail addresses in lower case and store them trimmed.",
  enums:
    "Handle unknown enum values from partners with a default branch. They add values without telling us.",
  pagesSeo: "Public pages have a canonical link and a meta description of less than 160 characters.",
  images:
    "Pictures are served as WebP with explicit width and height, so that the layout does not jump while loading.",
  bundle: "Import single lodash functions. The whole package added 70 KB to the first download.",
  commits: "Squash commits before merging and write the message in the imperative mood.",
  reviews: "Changes of more than 400 lines are split; nobody reads a huge diff with care.",
  comments:
    "Comments explain why something is done. Delete commented-out code, version control remembers it.",
  constants: "Give magic numbers a name. A bare 86400 in an expression is not acceptable.",
  inheritance: "Prefer composition over class hierarchies deeper than two levels.",
  singletons: "No global mutable state: pass collaborators through the constructor.",
  threads: "Do not block the event loop: hashing and image resizing run in a worker thread.",
  floatingPromises:
    "Every promise is awaited or its rejection is handled; unhandled rejections end the process.",
  random: "Tokens come from the cryptographic generator. Math.random is predictable.",
  xss: "Never set innerHTML from data of users; render it as text or sanitize it.",
  csrf: "Forms that change something carry an anti-forgery token.",
  cors: "Allow only the origins on the list; a wildcard together with credentials is forbidden.",
  tls: "Certificate checks stay on, also in tests. rejectUnauthorized: false slipped into production once.",
  dependencies: "New third-party packages need approval: check licence, maintenance and size first.",
  lockfile: "Commit the lock file and install exactly what it says in continuous integration.",
  alerts: "An alarm links to a runbook page. One without instructions is deleted.",
  metricsLabels: "Do not put user ids into metric labels; the cardinality made the monitoring bill explode.",
  tracing: "Forward the trace header to every downstream call so that a request can be followed.",
  health:
    "The health endpoint checks only the process itself. A dependency that is down must not restart all instances.",
  canary: "Roll out to five percent of the hosts and watch the error rate for ten minutes before continuing.",
  rollback: "Every release can be undone by deploying the previous artifact; no step may need manual work.",
  configuration:
    "Settings are validated when the program starts. A missing value stops it with a clear sentence.",
  dates: "Show dates with the month as a word. 03/04 means different days in London and New York.",
  rounding: "Round only the final result, half to even. Rounding each line made invoices differ by a cent.",
  unicode: "Count characters by code point. Cutting a string by length tore emoji apart.",
  sorting: "Sort names with a locale-aware collator; plain comparison puts Ä behind Z.",
  emptyStates: "Lists without entries show a hint what to do next, not a blank area.",
  undo: "Destructive actions ask for confirmation or can be undone for thirty seconds.",
  forms: "Show validation messages beside the field and keep what the user typed.",
  keyboard: "Everything that works with the mouse works with the keyboard, and focus stays visible.",
  privacy: "Personal data is erased thirty days after an account is closed, also in analytics.",
  retention: "Access logs are kept ninety days and then removed automatically.",
};

export const heldOutQuestions: readonly Asked[] = [
  { wants: "locks", question: "Two processes wait for each other forever, how do we avoid that?" },
  {
    wants: "queueSize",
    question: "The service ran out of memory because work piled up faster than it was done.",
  },
  { wants: "backups", question: "How do we know that our database copies are usable in an emergency?" },
  { wants: "emails", question: "A person registered twice, once with capital letters in the mail address." },
  { wants: "enums", question: "The supplier sent a status our switch does not know and it crashed." },
  { wants: "images", question: "The content shifts around when photos appear on the page." },
  { wants: "bundle", question: "Why did our JavaScript become so much bigger after adding one helper?" },
  { wants: "reviews", question: "My pull request touches thousands of lines, is that a problem?" },
  {
    wants: "comments",
    question: "Should I leave the old implementation disabled in the file in case we need it?",
  },
  { wants: "constants", question: "Is it okay to write timeout = 3600 directly in the calculation?" },
  { wants: "singletons", question: "Can I keep the database connection in a static variable?" },
  { wants: "threads", question: "All requests become slow while a thumbnail is generated." },
  { wants: "floatingPromises", question: "The node server exits when an async call fails without a catch." },
  { wants: "random", question: "How should I generate the password reset code?" },
  { wants: "xss", question: "May I insert the comment of a visitor as HTML?" },
  {
    wants: "tls",
    question: "The staging server has a self-signed certificate, can I turn verification off?",
  },
  { wants: "dependencies", question: "I found a library on npm that does this, can I add it?" },
  { wants: "metricsLabels", question: "Can we count requests per customer in Prometheus?" },
  { wants: "health", question: "Kubernetes restarted every pod when Postgres was unavailable." },
  { wants: "rollback", question: "What do we do when the new version breaks production?" },
  { wants: "configuration", question: "An environment variable was not set and we noticed hours later." },
  { wants: "rounding", question: "The total of the bill is off by one penny compared with its positions." },
  { wants: "unicode", question: "Truncating the title shows a broken symbol at the end." },
  { wants: "undo", question: "A user deleted a project by accident and wants it back." },
  { wants: "keyboard", question: "How can somebody without a pointing device open this menu?" },
  { wants: "privacy", question: "What happens to the profile of a customer who leaves us?" },
];
