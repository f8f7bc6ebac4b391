import { hasBothCases, hasDigit, hasLetter, isHex, isPlainCase } from "./appearance.ts";
import { decodeStart } from "./decoded.ts";
import * as features from "./features.ts";
import { isInPlace } from "./never.ts";
import { isPlaceholder, isStandIn } from "./placeholders.ts";
import type { Accept, AcceptInContext, ContextRule } from "./rule.ts";
import { after, behind, spaced, unquoted } from "./rule.ts";
import { pattern } from "./words.ts";

/** Command lines: the tool, and the place of its credential. */

const isNoOption = (secret: string) =>
  !/^[-|&]|^[<>](?![^\s>]*\d)/.test(secret) && !/^\/[\w/.-]*$/.test(secret) && !isStandIn(secret);
/** Rejects plain words: a sentence has a plain word in the same place. */
const isNoWord: Accept = (secret) =>
  isNoOption(secret) &&
  (hasDigit(secret) || features.looksChosen(secret) || (hasBothCases(secret) && !isPlainCase(secret)));
/** Rejects numbers: `-u 1000:1000` is a user and a group, `-p 6380` is a port. */
const isPassword: Accept = (secret) => hasLetter(secret) && isNoWord(secret);
/** `curl -u bob:304200199876`: these tools take no port or group here, so a long number is a password. */
const isPairPassword: Accept = (secret) =>
  isPassword(secret) || (/^\d{6,}$/.test(secret) && !isPlaceholder(secret));
const isAnything: Accept = (secret) => secret.length >= 4 && isNoOption(secret);
/** Every word behind the option of these tools is the password, if no other command begins in between. */
const placedBehind = (tools: string, otherwise: Accept): AcceptInContext => {
  const tool = new RegExp(`\\b(?:${tools})\\b`, "g");
  return (secret, { text, start, context }) => {
    if (otherwise(secret)) return true;
    const own = text.slice(Math.max(0, start - 160), start).replace(/^.{0,160}[|;&\n]/s, "");
    // `-password` is another option than `-p`.
    const isApart = !/[A-Za-z]$/.test(context) || own.includes("sshpass");
    return isApart && (isInPlace(secret) || /^\d{6,}$/.test(secret)) && own.match(tool) !== null;
  };
};

const word = /[^\s`|;&¶]+/y;
const opened = `[¶]?`;

const cli = (keywords: string, pattern: RegExp, value: RegExp, accept: AcceptInContext): ContextRule =>
  after("CLI password", keywords, spaced(pattern), value, accept);

/** Options and values may also be strings of a list: `["sshpass", "-p", "…"]`. */
const asArgument = (option: string) =>
  option.replace("[ \\t]", `[ \\t"']`).replace("[ =]", `(?:[ =]|["'],? (?:a\\d=)?["'])`);

/** `behind` matches the tool, `option` matches the text directly before the credential. */
const command = (
  keywords: string,
  tools: string,
  option: string,
  accept: Accept,
  isPlace = false,
): ContextRule => ({
  ...cli(
    keywords,
    new RegExp(`${asArgument(option)}${opened}`, "g"),
    unquoted,
    isPlace ? placedBehind(tools, accept) : accept,
  ),
  behind: new RegExp(`\\b(?:${tools})\\b`, "g"),
});

const piped = pattern(
  "",
  String.raw`^\n?[^|\n]{0,64}\|[^\n]{0,80}?(?:-stdin|with-token|sudo -S|chpasswd|passwd|login|secret|passphrase`,
  "|openssl|cryptsetup|gpg|htpasswd|kinit",
  String.raw`|base64|pass insert|keepass|lpass|vault|sops|kubeseal|\bop (?:item|create))`,
);
const isPiped: AcceptInContext = (secret, { text, end }) =>
  isAnything(secret) &&
  // `echo aGVsbG8gd29ybGQ= | base64 -d`: the text decodes to plain words.
  !(
    /^\W{0,4}base64 -[dD-]/.test(text.slice(end, end + 32)) && /^[a-z]+[a-z ,.!]+$/i.test(decodeStart(secret))
  ) &&
  (hasDigit(secret) ||
    features.looksChosen(secret) ||
    !/^[^\n]{0,8}\|[ \t]*base64/.test(text.slice(end, end + 24))) &&
  /^(?:\n[^\n|"']{1,64})?["'\uE000-\uE003]?[ \t]{0,4}\|/.test(text.slice(end, end + 72)) &&
  (features.isDecoratedWord(secret) ||
    (features.isStrong(secret) && !isHex(secret)) ||
    piped.test(text.slice(end, end + 160)));

/** Tools whose `-p` and `-u` mean something else. */
const otherTool =
  /\b(?:mysql(?:dump|admin)?|mariadb|git|mvn|docker|podman|ssh|sudo|mkdir|cp|tar|pytest|chown)\b[^\n;|&]*$/;

// biome-ignore format: one rule a line
export const commandContexts: readonly ContextRule[] = [
  command("curl|wget|http|xh |hurl|ab -|ftp |aria2c|etcdctl",
    "curl|wget|https?|xh(?= )|hurl|ab(?= -)|ftp(?= )|aria2c|etcdctl",
    "[ \\t]-(?:[a-zA-Z]{0,3}[uUaA]|-(?:proxy-)?(?:user|auth))[ =]?[\"']?[A-Za-z][^\\s:\"'$/]{0,60}:(?!\\/)",
      isPairPassword, true),
  command("-p",
    "sshpass|altool|notarytool|stapler|login|mongo\\w{0,12}|twine|cqlsh|psexec|snowsql|rdesktop|ncftp\\w{0,8}" +
    "|useradd|usermod" +
      "|unlock-keychain|beeline|kadmin|isql|registry|skopeo|impala-shell|influx|certutil|cypher-shell|rabbitmqadmin" +
      "|hydra|conan",
    "[ \\t]-p(?:asswd|ass|w)?[ =]?", isPassword, true),
  // With a space after the option, these tools read the next word as something else.
  command("mysql|mariadb|7z|rar", "mysql\\w*|mariadb\\w*|7z[ar]?|7zz|unrar|rar", "[ \\t]-h?p", isAnything),
  command("-a|-w", "redis-cli|valkey-cli|ldap\\w+|security|cryptsetup|kadmin\\S*", "[ \\t]-[aw][ =]?", isPassword,
    true),
  command("-p", "sqlcmd|bcp|osql|zip|unzip|zipcloak|ipmitool|mosquitto_\\w+|smbpasswd|plink|pscp|knife|p4|security",
    "[ \\t]-(?:P|pw)[ =]?", isPassword, true),
  command("-u", "smb\\w+|rpcclient|net|winexe", "[ \\t]-U[ =]?[\"']?[^\\s%\"'$]+%", isPassword, true),
  command("openssl|nuget|coap", "openssl|nuget|coap-client", "[ \\t]-(?:[kK]|hmac)[ =]", isAnything),
  command("nmcli|nsupdate|snyk", "nmcli|nsupdate|snyk",
    "[ \\t](?:password[ ]|auth[ ](?=[0-9a-f]{8}-)|-y[ ](?:hmac-[\\w-]{1,10}:)?[\\w.-]{1,60}:)", isAnything),
  command("ssh-keygen|puttygen", "ssh-keygen|puttygen", "[ \\t]-[NP][ =]?", isAnything),
  command("snmp|onesixtyone", "snmp[\\w-]+|onesixtyone", "[ \\t]-[cAX][ =]?", (secret) => isAnything(secret) &&
    !/^(?:public|private)$/.test(secret)),
  command("/p|/rp", "signtool|\\w*freerdp|cmdkey|schtasks|net|wmic", "[ \\t]\\/(?:p|pass|password|rp|pwd)[: ]",
    isAnything),
  cli("net use", pattern("gi",
    String.raw`\bnet (?:use (?:\S+ (?:/user:\S+ )?\S+|(?:[^\s/]\S{0,80} ){1,2}/user:`,
    String.raw`\S{1,60})|user \w\S*) (?!/)`), unquoted, isPassword),
  cli("htpasswd|mosquitto_passwd", pattern("g",
    String.raw`\b(?:htpasswd|mosquitto_passwd)~(?:(?=-[A-Za-z]{0,4}b)-[A-Zbi]{0,4}n[A-Zbi]{0,4}~[\w.@-]{1,60}~|(?=`,
    String.raw`(?:-[A-Za-z]{1,60}~){0,3}-[A-Za-z]{0,60}b)(?:-[A-Za-z]{1,60}~){1,4}(?:[\w./-]{1,60}~){2})["']?`),
      unquoted, isInPlace),
  cli("pass:|echo ", pattern("g",
    String.raw`-pass(?:in|out|word)?[ \t]["']?pass:["']?|-pass\w{0,12}[-_]?(?:comman`,
    `d|cmd|eval)[ =]["']echo (?:-n )?`), unquoted, isAnything),
  cli("+login|http-basic.|wpa_passphrase|add_user|change_password|set_password|authenticate_user|-passwd|bw login" +
  "|bw unlock|wandb login|radtest|mc ", pattern("g",
    String.raw`(?:\+login|\bhttp-basic\.\S{1,60}|\bwpa_passphrase|\brabbitmqctl (?:add_user|change_password`,
    String.raw`|authenticate_user)|\bdscl \S{1,80} -passwd`,
    String.raw`|(?<!=)\bset_password|\bbw login|\bradtest`,
    String.raw`|\bmc (?:alias set|config host add)~\S{1,60}~\S{1,120})~(?:"[^"\n]{1,40}"|'[^'\n]{1,40}'`,
    String.raw`|\S{1,80})~["']?|\b(?:bw unlock|wandb login)~["']?(?!-)`,
    String.raw`|\bradtest~\S{1,60}~\uE010~\S{1,60}~\d{1,4}~`), unquoted, isAnything),
  cli("sqlplus|expdp|impdp|rman target|sqlldr|catalog",
    /\b(?:sqlplus|expdp|impdp|rman target|catalog(?=~\w{1,40}\/\S{1,60}@)|sqlldr)~(?:-\w{1,40}~)?["']?\w{1,40}\/["']?/g,
    /[^\s@"'/]+/y, isAnything),
  cli("echo|printf", pattern("g",
    String.raw`\b(?:echo|printf)~(?:-\w{1,40}~)?(?:["']%s(?:\\n`,
    String.raw`|\n)?["']~)?["']?(?:[\w.-]{1,60}:(?=\S{1,80}["']?¬\|¬(?:sudo~)?chpasswd))?`),
    word, isPiped),
  // Any tool: after a user (-u), -p is the password.
  behind(/ -(?:u|U|l|x|xu|D|-?(?:user|username|login))[ =]?["']?\w/g, cli(" -u| -l| -x| -d|-user|-login",
    /[ \t]-(?:p|P|pw|w|W|pass)[ =]?["']?/g,
    unquoted, (secret) => (features.isMadeUp(secret) || features.isMixedWord(secret)) && isPassword(secret))),
  // Any tool: the user and right behind it the password, whatever it looks like.
  cli(" -u| -l|-user|-login", pattern("g",
    ` -(?:u|U|l|-?(?:user|username|login))[ =]["']?[A-Za-z]`,
    String.raw`[\w.@-]{0,40}["']? -{1,2}(?:p|P|pw|pass)[ =]["']?`), unquoted, (secret,
    { text, start }) => isInPlace(secret) && !/[/:]/.test(secret) &&
    !otherTool.test(text.slice(Math.max(0, start - 120), start))),
  // Any tool: --user bob:…
  cli(" -u|-user|-cred", / -(?:u|-?(?:user|creds?|credentials))[ =]["']?[A-Za-z][\w.-]{0,40}:(?!\/)/g, unquoted,
    (secret, { text, start }) =>
    isPairPassword(secret) && !/[/:]/.test(secret) &&
      !/\b(?:docker|podman|compose|rsync|chown|install)\b/.test(text.slice(Math.max(0, start - 120), start))),
  cli("lftp", /\blftp~[^\n]{0,40}?-u~[\w.@/-]{1,60},/g, unquoted, isInPlace),
];
