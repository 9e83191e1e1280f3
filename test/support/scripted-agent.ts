import { text } from 'node:stream/consumers';
import { perform } from './scripted-agent/steps.ts';
import type { Speech } from './scripted-agent/steps.ts';
import { stepsFor } from './scripted-agent/turns.ts';

/**
 * A coding agent that follows a script: `node scripted-agent.ts SCENARIO_FILE` takes a prompt on standard input. The file is
 * JSON, a `Scenario` (`scripted-agent/scenario.ts`). Turns count by directory, so that agents in several worktrees can follow
 * one file at once; `givenPrompts(file)` returns their prompts.
 */
const [file] = process.argv.slice(2) as [string];

const say = (line: string): Promise<void> =>
  new Promise((resolve) => void process.stdout.write(`${line}\n`, () => resolve()));
const speech: Speech = {
  say,
  ask: async (question) => {
    await say(question);
    return undefined;
  },
  tool: say,
  plan: (entries) => say(entries.join(', ')),
  usage: () => Promise.resolve(),
  flush: () => Promise.resolve(),
};
await perform(stepsFor(file, await text(process.stdin)), speech);
