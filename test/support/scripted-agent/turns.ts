import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Scenario, Step } from './scenario.ts';

/** A prompt that a scripted agent was given. */
export interface GivenPrompt {
  readonly directory: string;
  readonly part: number;
  readonly prompt: string;
}

/** The prompts of all agents that follow a scenario file, in their order: its neighbour `….prompts`, a line of JSON each. */
export function givenPrompts(file: string): readonly GivenPrompt[] {
  const path = `${file}.prompts`;
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as GivenPrompt);
}

/** Notes a prompt, and returns the steps of its turn: an agent on standard input is a new process for each. */
export function stepsFor(file: string, prompt: string): readonly Step[] {
  const { parts } = JSON.parse(readFileSync(file, 'utf8')) as Scenario;
  const directory = process.cwd();
  const former = givenPrompts(file).filter((given) => given.directory === directory);
  const part = former[0]?.part ?? parts.findIndex(({ when }) => when === undefined || prompt.includes(when));
  appendFileSync(`${file}.prompts`, `${JSON.stringify({ directory, part, prompt } satisfies GivenPrompt)}\n`);
  const turns = parts[part]?.turns;
  if (turns === undefined) throw new Error(`No part of ${file} fits the prompt.`);
  return turns[Math.min(former.length, turns.length - 1)] ?? [];
}
