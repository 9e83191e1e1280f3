import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documents } from '../gate/documented.ts';
import { repository } from '../support/server-process.ts';

/** A fenced block of a document. */
export interface Block {
  readonly document: string;
  /** `sh`, `json`, …; empty for an output or a drawing. */
  readonly language: string;
  readonly text: string;
}

export function blocksOf(document: string, markdown = readFileSync(join(repository, document), 'utf8')): Block[] {
  return [...markdown.matchAll(/^(`{3,})(\w*)\n([^]*?)^\1$/gm)].map(([, , language = '', text = '']) => ({
    document,
    language,
    text,
  }));
}

/** Blocks that no test runs, by a part of their text, each with the reason. */
export const notRun: ReadonlyMap<string, string> = new Map([
  ['npm ci && npm start', 'Installs the repository: CI begins with it.'],
  ['npm install --global . ', 'Installs into the system; test/client/tarball.long.ts installs the tarball.'],
  ['npm ci         #', 'Installs the repository: CI begins with it.'],
  ['npm run example ', 'test/examples/run.test.ts runs the example.'],
  ['curl -F dry_run=true', 'Imports the plan of a repository; test/rest/import.test.ts sends such forms.'],
  ['curl -N -H', 'Follows events without an end; test/spec/event-stream.test.ts reads such streams.'],
  ['event: presence', 'A part of a stream; test/spec/presence.test.ts reads such streams.'],
  ['planner webhooks create', 'Names a receiver; test/cli/webhooks.test.ts runs these commands with one.'],
  ['webhook-id: msg_', 'A drawing of a request; test/webhooks/deliveries.test.ts reads such requests.'],
  ['for object in objects', 'Calls an earlier version; test/hosted/nodes.test.ts sends such forms to this one.'],
  [
    'planner login https://plan.example.org      ',
    'Needs a hosted service; test/cli/connect.test.ts runs these commands with one.',
  ],
  [
    '--root /srv/plan',
    'Serves others until it is ended; the blocks of docs/how-to/serve-others.md run these commands.',
  ],
  ['CREATE DATABASE planner', 'Needs a database; test/hosted/command.test.ts runs it with one.'],
  ['synchronous_standby_names', 'Needs a database; test/hosted/command.test.ts runs it with one.'],
  ['export PLANNER_DATABASE', 'Needs a database; test/hosted/command.test.ts runs it with one.'],
  ['planner migrate --dry-run', 'Needs a database; test/hosted/command.test.ts runs it with one.'],
  ['planner export Garden', 'Needs a database; test/hosted/command.test.ts runs it with one.'],
  [
    'planner push https',
    'Needs a hosted service; test/working-copy/push-and-pull.test.ts runs these commands with one.',
  ],
  ['planner sync            #', 'Needs a hosted service; test/working-copy/sync.test.ts runs it with one.'],
  ['"remote": { "url": "https://plan.example.org"', 'What these commands write; the same test reads it.'],
  ['npm run bench', 'Measures for minutes; what the options select is tested in test/bench.'],
  ['scrape_configs:', 'The configuration of Prometheus; what it reads is tested in test/http/metrics.test.ts.'],
  ['docker compose up', 'Needs Docker; test/examples/deploy.test.ts runs what the image runs.'],
  ['mcpb/build.ts planner.mcpb', 'Installs the official tool; the long test of the plugins runs it.'],
  ['server_name plan.example.org', 'The configuration of nginx, with which test/proxies/nginx.test.ts starts it.'],
  ['hash $planner_home', 'The configuration of nginx, with which test/proxies/homes.test.ts starts it.'],
  ['reverse_proxy 127.0.0.1', 'The configuration of Caddy, with which test/proxies/caddy.test.ts starts it.'],
  ['<<<<<<< ours', 'An excerpt of a file after a merge; the merge driver is tested with git.'],
  ['config.json             format version', 'A drawing of the directories.'],
  ['REST      MCP      command line', 'A drawing of the layers.'],
  ['"mine": {', 'Agents of a person; the file is read in test/cli/agents.test.ts.'],
  ['person              coding agent', 'A drawing of the parts.'],
  ["it('claims a task", 'Titles of tests.'],
]);

/** The blocks that the tests of a file run, each taken by a part of its text. */
export class Blocks {
  readonly all: readonly Block[] = documents.flatMap((document) => blocksOf(document));
  readonly #taken = new Set<Block>();

  /** The text of the only block of a document that contains `part`. */
  take(document: string, part: string): string {
    const found = this.all.filter((block) => block.document === document && block.text.includes(part));
    if (found.length !== 1) throw new Error(`${document} has ${found.length} blocks with ${JSON.stringify(part)}.`);
    this.#taken.add(found[0]!);
    return found[0]!.text;
  }

  /** Blocks that are neither run nor listed in `notRun`. */
  get left(): readonly Block[] {
    return this.all.filter(
      (block) => !this.#taken.has(block) && ![...notRun.keys()].some((part) => block.text.includes(part)),
    );
  }
}

/** The JSON or text of a comment after a command: its output. */
export const printedIn = (block: string): string => /^# (\{.*)$/m.exec(block)?.[1] ?? '';
