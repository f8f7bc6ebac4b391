/** What can follow these words: `""` at the beginning, then a group, then a group and its command. */
export type Continuations = ReadonlyMap<string, readonly string[]>;

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** A script that the shell sources: it completes commands and options, then files. */
export function completionScript(shell: Shell, continuations: Continuations): string {
  if (shell === "fish") return fishScript(continuations);
  const start = shell === "zsh" ? ["autoload -Uz compinit bashcompinit && compinit && bashcompinit"] : [];
  return [...start, bashScript(continuations)].join("\n");
}

function bashScript(continuations: Continuations): string {
  const cases = [...continuations].map(([words, next]) => `    '${words}') next='${next.join(" ")}' ;;`);
  return [
    "_review_api() {",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's.
    '  local current="${COMP_WORDS[COMP_CWORD]}" words="" next="" index',
    "  for ((index = 1; index < COMP_CWORD && index < 3; index++)); do",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's.
    '    [[ "${COMP_WORDS[index]}" == -* ]] && break',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's.
    '    words="${words:+$words }${COMP_WORDS[index]}"',
    "  done",
    '  case "$words" in',
    ...cases,
    "  esac",
    '  COMPREPLY=($(compgen -W "$next" -- "$current"))',
    "}",
    "complete -o default -F _review_api review-api",
  ].join("\n");
}

function fishScript(continuations: Continuations): string {
  const lines = [...continuations].flatMap(([words, next]) => {
    const [group, command] = words.split(" ");
    const condition =
      group === ""
        ? "__fish_use_subcommand"
        : [
            "__fish_seen_subcommand_from",
            group,
            ...(command ? [`; and __fish_seen_subcommand_from ${command}`] : []),
          ]
            .join(" ")
            .replace(" ;", ";");
    return next.map((word) =>
      word.startsWith("--")
        ? `complete -c review-api -n '${condition}' -l ${word.slice(2)}`
        : `complete -c review-api -n '${condition}' -a ${word}`,
    );
  });
  return lines.join("\n");
}
