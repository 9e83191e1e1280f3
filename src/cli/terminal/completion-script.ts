import type { Command } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;

/** The words that may follow a command. Names of commands and options are letters and hyphens. */
interface Completions {
  /** The command's name with its group: `task list`; empty for the program. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly { readonly flag: string; readonly takesValue: boolean; readonly description: string }[];
}

/** The script for a shell, made of the declared commands and options: it starts no program when a person presses Tab. */
export function completionScript(shell: (typeof shells)[number], program: Command): string {
  const all = completionsOf(program, '');
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
  return scripts[shell](all);
}

function completionsOf(command: Command, path: string): readonly Completions[] {
  const commands = command.createHelp().visibleCommands(command);
  const options = command.options.flatMap(({ long, hidden, required, optional, description }) =>
    long == null || hidden ? [] : [{ flag: long, takesValue: required || optional, description }],
  );
  const shown = commands.map((one) => ({ name: one.name(), description: one.description() }));
  const own = {
    path,
    commands: shown,
    options: [...options, ...(options.some(({ flag }) => flag === '--help') ? [] : [help])],
  };
  const within = commands.filter((one) => one.name() !== 'help' && command.commands.includes(one));
  return [own, ...within.flatMap((one) => completionsOf(one, `${path} ${one.name()}`.trim()))];
}

const help = { flag: '--help', takesValue: false, description: 'show the usage' };

function casesOf(all: readonly Completions[], words: (one: Completions) => string): string {
  return all.map((one) => `    '${one.path}') words='${words(one)}' ;;`).join('\n');
}

/**
 * The part that bash and zsh have in common: finds which command the line is in. `$1` and further ones: the words after
 * the program.
 */
function walk(all: readonly Completions[]): string {
  const values = [...new Set(all.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue)))].map(
    ({ flag }) => flag,
  );
  const paths = all.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `_planner_words() {
  local path='' words='' word next skip=''
  for word in "$@"; do
    if [ -n "$skip" ]; then skip=''; continue; fi
    case "$word" in
      ${[...new Set(values)].join('|')}) skip=1; continue ;;
      -*) continue ;;
    esac
    next="\${path:+$path }$word"
    case "$next" in
      ${paths.join('|')}) path=$next ;;
    esac
  done
  [ -n "$skip" ] && return
  case "$path" in
${casesOf(all, ({ commands, options }) => [...commands.map(({ name }) => name), ...options.map(({ flag }) => flag)].join(' '))}
  esac
  printf '%s\\n' "$words"
}
`;
}

function bashScript(all: readonly Completions[]): string {
  return `# Completion of planner for bash.
${walk(all)}
_planner() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  local words
  words=$(_planner_words "\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  # A word that is no option may be a file or a name as well: then bash itself completes it.
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _planner planner
`;
}

function zshScript(all: readonly Completions[]): string {
  return `#compdef planner
# Completion of planner for zsh.
${walk(all)}
_planner() {
  local -a found
  found=(\${=$(_planner_words "\${(@)words[2,CURRENT-1]}")})
  compadd -a found || _files
}
compdef _planner planner
`;
}

function fishScript(all: readonly Completions[]): string {
  const lines = all.flatMap(({ path, commands, options }) => {
    const where = path === '' ? '__fish_use_subcommand' : conditionOf(path, commands);
    return [
      ...commands.map(
        ({ name, description }) => `complete -c planner -n '${where}' -f -a ${name} -d '${quoted(description)}'`,
      ),
      ...options.map(
        ({ flag, takesValue, description }) =>
          `complete -c planner -n '${path === '' ? where : inPath(path)}' -l ${flag.slice(2)}${takesValue ? ' -r' : ''} -d '${quoted(description)}'`,
      ),
    ];
  });
  return ['# Completion of planner for fish.', ...lines, ''].join('\n');
}

function inPath(path: string): string {
  return path
    .split(' ')
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join('; and ');
}

/** True in a group, before one of its commands. */
function conditionOf(path: string, commands: Completions['commands']): string {
  return `${inPath(path)}; and not __fish_seen_subcommand_from ${commands.map(({ name }) => name).join(' ')}`;
}

function quoted(text: string): string {
  return text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`);
}
