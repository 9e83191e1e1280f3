import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { git } from '../git.ts';
import type { Step } from './scenario.ts';

/** How an agent speaks to whom it works for. */
export interface Speech {
  readonly say: (line: string) => Promise<void>;
  /** Returns the answer, if there is one. */
  readonly ask: (question: string, choices: readonly string[]) => Promise<string | undefined>;
  readonly tool: (title: string) => Promise<void>;
  readonly plan: (entries: readonly string[]) => Promise<void>;
  readonly usage: (tokens: number, costUsd: number | undefined) => Promise<void>;
  /** Waits until all that was said is written. */
  readonly flush: () => Promise<void>;
}

/** Performs the steps of a turn. Returns the reason for its end, if the script names one. */
export async function perform(steps: readonly Step[], speech: Speech): Promise<string | undefined> {
  for (const step of steps) {
    if ('stop' in step) return step.stop;
    await performOne(step, speech);
  }
  return undefined;
}

async function performOne(step: Step, speech: Speech): Promise<void> {
  if ('print' in step) await speech.say(step.print);
  else if ('flood' in step) for (let n = 0; n < step.flood; n++) await speech.say(`${n} `.padEnd(80, '.'));
  else if ('ask' in step) await askAndSay(step.ask, step.choices ?? [], speech);
  else if ('tool' in step) await speech.tool(step.tool);
  else if ('plan' in step) await speech.plan(step.plan);
  else if ('tokens' in step) await speech.usage(step.tokens, step.cost_usd);
  else if ('run' in step) await speech.say(execFileSync('/bin/sh', ['-c', step.run], { encoding: 'utf8' }).trimEnd());
  else if ('exit' in step) {
    await speech.flush();
    process.exit(step.exit);
  } else if ('hang' in step) await new Promise<never>(() => void setInterval(() => undefined, 1e6));
  else if ('sleep' in step) await setTimeout(step.sleep);
  else if ('until' in step) while (!existsSync(step.until)) await setTimeout(10);
  else change(step);
}

/** Performs a step that needs no time. */
function change(step: Step): void {
  if ('write' in step) {
    mkdirSync(dirname(step.write), { recursive: true });
    writeFileSync(step.write, step.text);
  } else if ('commit' in step) {
    git('.', 'add', '--all');
    git('.', 'commit', '--quiet', '--message', step.commit);
  } else if ('warn' in step) process.stderr.write(`${step.warn}\n`);
  else if ('raw' in step) process.stdout.write(step.raw);
  else if ('stubborn' in step) process.on('SIGTERM', () => undefined);
  else if ('leave' in step) {
    const child = spawn('sleep', ['100000'], { stdio: 'inherit' });
    child.unref();
    writeFileSync(step.leave, String(child.pid));
  } else throw new Error(`Unknown step: ${JSON.stringify(step)}`);
}

async function askAndSay(question: string, choices: readonly string[], { ask, say }: Speech): Promise<void> {
  const answer = await ask(question, choices);
  await say(`Answer: ${answer ?? 'none'}`);
}
