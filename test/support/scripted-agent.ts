import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Scenario } from './scripted-agent/scenario.ts';
import { perform } from './scripted-agent/steps.ts';
import { stepsFor } from './scripted-agent/turns.ts';

/**
 * A coding agent that follows a script: `node scripted-agent.ts SCENARIO_FILE` takes a prompt on standard input, and with
 * `--acp` it speaks the Agent Client Protocol. The file is JSON, a `Scenario` (`scripted-agent/scenario.ts`). Turns count by
 * directory, so that agents in several worktrees can follow one file at once; `givenPrompts(file)` returns their prompts.
 */
const [file, protocol] = process.argv.slice(2) as [string, string?];

if (protocol === '--acp') {
  const { speakAcp } = await import('./scripted-agent/acp.ts');
  speakAcp(file, JSON.parse(readFileSync(file, 'utf8')) as Scenario);
} else {
  const say = (line: string): Promise<void> =>
    new Promise((resolve) => void process.stdout.write(`${line}\n`, () => resolve()));
  await perform(stepsFor(file, await text(process.stdin)), {
    say,
    ask: async (question) => {
      await say(question);
      return undefined;
    },
    tool: say,
    plan: (entries) => say(entries.join(', ')),
    usage: () => Promise.resolve(),
    flush: () => Promise.resolve(),
  });
}
