import type { Command } from 'commander';
import { addCommand, usageError } from '../../call/command-line.ts';
import { completionScript, shells } from '../../terminal/completion-script.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';

/** `completion`: a script with which a shell completes commands and options. */
export function addCompletionCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'completion <shell>',
      description: `print the script with which a shell completes commands and options: ${shells.join(', ')}`,
      examples: [
        'completion bash >> ~/.bashrc',
        'completion zsh > ~/.zfunc/_planner',
        'completion fish > ~/.config/fish/completions/planner.fish',
      ],
    },
    async ([given], _, out) => {
      const shell = shells.find((one) => one === given);
      if (shell === undefined)
        throw usageError('shell', `The shell is ${JSON.stringify(given)}; it must be one of ${shells.join(', ')}.`);
      const script = completionScript(shell, program);
      out.print({ shell, script }, { block: script.trimEnd() });
    },
  );
}
