/**
 * Words of software work that are about the same thing, one subject per line. A word may be in several lines. Plain
 * words in their simplest form: the local embedder reduces both these words and its input to stems.
 */
const subjects = `
money price amount cost cent penny euro dollar currency invoice bill payment pay charge fee billing card checkout purchase
sum total add count aggregate cart basket order
float floating double decimal fraction precision round rounding off
time clock now date current timestamp moment instant appointment day hour minute calendar
zone utc timezone local region country locale
test testable unit suite spec assert expect flaky mock fake stub fixture
wait sleep pause second delay timer timeout hang stall forever stuck respond
database db sql table row column postgres mysql query select schema insert relational record
index lookup scan slow foreign key link reference join delete
migration migrate alter downtime backfill schema previous release
null nil none optional missing absent empty undefined nothing required mandatory nullable blank
log logger print console debug output line structured message
email mail address inbox mailer newsletter smtp
person user customer client visitor member buyer account profile people somebody someone owner
personal private privacy gdpr erase data account profile analytics retention
retry repeat again twice attempt resend duplicate idempotent idempotency redeliver replay same double once restart
page paging cursor offset pagination chunk batch limit list result
secret credential password token key vault environment env manager login
password login credential hash hashing argon bcrypt sha algorithm salt store
random generate generator predictable unpredictable code token reset cryptographic crypto seed
flag toggle feature switch beta experiment rollout
style css color colour stylesheet design token spacing margin pixel brand theme look hex
accessible accessibility aria screen reader label role button icon symbol keyboard focus mouse device click clickable menu tab
inject injection escape concatenate concat interpolate interpolation bind bound parameter where clause literal sanitize
transaction commit rollback atomic isolation open
network remote call request http fetch outgoing downstream service upstream answer connection
event message queue kafka consumer handler broker topic deliver subscribe publish stream job work
error exception failure fail crash throw catch reject rejection wrap cause panic fault break broken
go golang goroutine context struct
python dict list mypy hint
default argument parameter call invocation function shared remember earlier
react component render key hook effect jsx
list array sort order reorder filter item index
subscribe subscription listen listener cleanup unsubscribe leak socket update closed teardown unmount
translate translation language french german english locale i18n text sentence literal localize word
container docker image pod kubernetes node root process user run
memory ram heap limit bound bounded cpu resource kill killed grow full exhausted oom
cache caching redis stale tenant memoize front
tenant customer client foreign isolation
permission right rights access authorize authorization allow role middleware forbidden owner
background job nightly worker schedule cron thread task
spreadsheet excel csv export report download formula cell
regex regular expression pattern match backtracking quantifier linear
cpu slow performance block loop hot busy thread event worker full
deprecate deprecation sunset remove retire old legacy switch off obsolete support
api endpoint route rest openapi client contract public call
graphql resolver loader batch n+1 select
upload file extension content type mime pdf exe
webhook callback signature verify sign hmac authentic incoming
shell bash script command pipefail set variable quote continue
certificate tls ssl https verification verify self signed trust unauthorized check
pointer memory free ownership owner raw unique destroy release leak
lock mutex deadlock wait order concurrent concurrency race process
backup restore copy dump snapshot recovery disaster
lower upper case capital letter compare insensitive trim normalize
enum status switch case unknown default value branch
image picture photo thumbnail webp resize width height layout load
bundle size kilobyte download package javascript tree shake import lodash
dependency package library npm third party module licence license install approve
lockfile lock install exact version pin ci integration
commit squash merge message history branch rebase
review pull request diff change line large huge split
comment document explain commented dead code old remove version control git
constant magic number name literal bare named
inheritance composition class hierarchy subclass extend
global singleton static state mutable variable constructor inject dependency collaborator
promise async await unhandled rejection catch
html innerhtml xss script sanitize render insert markup
csrf forgery form token post
cors origin wildcard browser domain
monitor monitoring metric label cardinality prometheus gauge count dashboard
alarm alert runbook page oncall incident instruction
trace tracing span header follow request correlation
health probe liveness readiness restart instance dependency down unavailable pod
canary rollout percent gradual release deploy watch error rate
rollback undo revert previous version release deploy production break
undo confirm confirmation destructive accidental delete restore back
configuration config setting option environment variable missing set validate start startup boot
unicode character emoji code point length cut truncate string symbol
sort collate locale alphabet name
form field validation input message typed
empty state hint blank nothing placeholder
erase delete remove drop purge retention keep days expire
session cookie httponly secure samesite login
rate limit throttle abuse ip address
boolean name naming negate prefix
snapshot test markup
seo canonical meta description search engine
terraform state infrastructure bucket resource destroy
swift ui main actor dispatch background queue
kotlin coroutine scope launch activity
rust unwrap expect propagate result
cpp pointer shared unique raw
github action workflow pin permission
export import module barrel cyclic
time date current clock depend
number digit integer count
server service backend host machine
production live staging environment
query database loop n+1
search find lookup
start startup boot launch begin
stop end exit quit terminate process kill
slow latency performance scan wait
store save keep persist storage write
show display render present see view print
change modify edit update alter
create make generate new build
send deliver dispatch post mail
`;

/** The lines above, each as a list of words. */
export const subjectWords: readonly (readonly string[])[] = subjects
  .trim()
  .split("\n")
  .map((line) => line.split(" "));

/** Words that nearly every text of the field contains: they say little about the subject. */
export const weakWords: readonly string[] = (
  "service server code data call request file name way thing case time user customer use change set get add run " +
  "write read right wrong problem question need want happen okay fine possible directly after before our system " +
  "application program software project team work part kind sure good bad one two first last own same new old"
).split(" ");
