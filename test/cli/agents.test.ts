import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { delay, systemClock } from '../../src/base/clock.ts';
import { readEnvironment } from '../../src/base/config.ts';
import type { AgentCommand, AgentSession, PlanServer, TurnEnd, Usage } from '../../src/cli/runner/agents/agent.ts';
import { Progress } from '../../src/cli/runner/agents/progress.ts';
import { findAgent } from '../../src/cli/runner/agents/find-agent.ts';
import { presets } from '../../src/cli/runner/agents/presets.ts';
import { startAgent } from '../../src/cli/runner/agents/start-agent.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { git, initRepository } from '../support/git.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { scenario } from '../support/scripted-agent/scenario.ts';
import type { Scenario, Step } from '../support/scripted-agent/scenario.ts';
import { givenPrompts } from '../support/scripted-agent/turns.ts';
import { Shell } from './planner.ts';
import { rarely } from '../support/rarely.ts';

const program = fileURLToPath(new URL('../support/scripted-agent.ts', import.meta.url));
const esc = String.fromCharCode(27);

/** Waits until a process has ended; one that nothing has waited for has ended, too. */
async function ended(pid: string): Promise<void> {
  const path = `/proc/${pid}/stat`;
  while (existsSync(path) && !/\) [ZX] /.test(readFileSync(path, 'utf8'))) await delay(systemClock, 10);
}

describe('A coding agent of planner run', function () {
  this.timeout(60_000);
  const scratch = scratchDirectory();
  let directory: string;
  let file: string;
  let abort: AbortController;
  let lines: string[];
  let usages: Usage[];
  let asked: (readonly [string, readonly string[]])[];
  let answer: (question: string) => Promise<string | undefined>;
  let sessions: AgentSession[];

  beforeEach(() => {
    directory = join(scratch.path, 'worktree');
    file = join(scratch.path, 'scenario.json');
    mkdirSync(directory);
    initRepository(directory);
    [abort, lines, usages, asked, sessions] = [new AbortController(), [], [], [], []];
    answer = () => Promise.resolve(undefined);
  });

  afterEach(() => Promise.all(sessions.map((session) => session.end())));

  const at = (path: string): string => join(directory, path);

  async function start(
    agent: Partial<AgentCommand>,
    { startMs = 60_000, plan }: { readonly startMs?: number; readonly plan?: PlanServer } = {},
  ): Promise<AgentSession> {
    const session = await startAgent(
      {
        agent: { ...{ name: 'scripted', command: process.execPath, args: [], protocol: 'stdin', env: {} }, ...agent },
        ...{ directory, plan, environment: { PATH: process.env['PATH'] }, signal: abort.signal },
        listener: {
          progress: (line) => void lines.push(line),
          usage: (usage) => void usages.push(usage),
          ask: (question, choices) => {
            asked.push([question, choices]);
            return answer(question);
          },
        },
      },
      { start: startMs, grace: 300 },
    );
    sessions.push(session);
    return session;
  }

  function scripted(
    protocol: AgentCommand['protocol'],
    given: Scenario,
    options: Parameters<typeof start>[1] = {},
  ): Promise<AgentSession> {
    writeFileSync(file, JSON.stringify(given));
    return start({ protocol, args: [program, file, ...(protocol === 'acp' ? ['--acp'] : [])] }, options);
  }

  async function turn(protocol: AgentCommand['protocol'], ...steps: readonly Step[]): Promise<TurnEnd> {
    return (await scripted(protocol, scenario(steps))).prompt('Work.');
  }

  for (const protocol of ['stdin', 'acp'] as const) {
    describe(`over ${protocol}`, () => {
      it('works in its directory, prompt by prompt, and says how it ended [A.run.agent-stdin, A.run.agent-acp]', async () => {
        const agent = await scripted(
          protocol,
          scenario(
            [{ write: 'src/a.txt', text: 'one\n' }, { commit: 'Write a' }, { print: 'Wrote a.' }],
            [{ print: 'Nothing to do.' }],
          ),
        );
        const prompt = `Write a.\n${'Much to read. '.repeat(20_000)}`;
        expect(await agent.prompt(prompt)).to.deep.equal({ kind: 'done', detail: 'Wrote a.' });
        expect(git(directory, 'show', 'HEAD:src/a.txt')).to.equal('one\n');
        expect(await agent.prompt('Once more.')).to.deep.equal({ kind: 'done', detail: 'Nothing to do.' });
        expect(givenPrompts(file).map((given) => given.prompt)).to.deep.equal([prompt, 'Once more.']);
        expect(lines).to.deep.equal(['Wrote a.', 'Nothing to do.']);
      });

      it('that crashes fails, with its exit code and its last words [A.run.agent-fails]', async () => {
        const { kind, detail } = await turn(protocol, { print: 'So far.' }, { warn: 'Out of memory' }, { exit: 7 });
        expect(kind).to.equal('failed');
        expect(detail).to.include('Exit code 7.').and.to.include('Out of memory');
      });

      it('that is not installed fails [A.run.agent-fails]', async () => {
        const agent = await start({ protocol, command: 'no-such-agent' });
        const failed = { kind: 'failed', detail: 'There is no program no-such-agent in PATH.' };
        expect(await agent.prompt('Work.')).to.deep.equal(failed);
        expect(await agent.prompt('Work.')).to.deep.equal(failed);
      });

      rarely('that says much is shown by few lines, and is read to its end [A.run.agent-progress]', async () => {
        const { kind, detail } = await turn(protocol, { flood: 20_000 }, { print: 'Done.' });
        expect({ kind, last: detail.split('\n').at(-1) }).to.deep.equal({ kind: 'done', last: 'Done.' });
        expect(lines.at(-1)).to.equal('Done.');
        expect(lines.length).to.be.below(200);
      });

      it('ends with all that it started, when its work is over [A.run.agent-ends]', async () => {
        await turn(protocol, { leave: at('pid') });
        await sessions[0]!.end();
        await ended(readFileSync(at('pid'), 'utf8'));
      });

      rarely(
        'is ended with all that it started if it does not stop when it is asked to [A.run.agent-ends]',
        async () => {
          const agent = await scripted(
            protocol,
            scenario([{ stubborn: true }, { leave: at('pid') }, { write: at('ready'), text: '' }, { hang: true }]),
          );
          const turnEnd = agent.prompt('Work.');
          while (!existsSync(at('ready'))) await delay(systemClock, 10);
          abort.abort();
          expect((await turnEnd).kind).to.equal('cancelled');
          await agent.end();
          await ended(readFileSync(at('pid'), 'utf8'));
          expect((await agent.prompt('More.')).kind).to.equal('cancelled');
        },
      );

      it('is not started for a prompt after the end of the run [A.run.agent-ends]', async () => {
        abort.abort();
        expect((await turn(protocol, { write: at('started'), text: '' })).kind).to.equal('cancelled');
        expect(existsSync(at('started'))).to.equal(false);
      });
    });
  }

  describe('by the Agent Client Protocol', () => {
    it('stops when it is asked to [A.run.agent-ends]', async () => {
      const agent = await scripted(
        'acp',
        scenario([{ write: at('ready'), text: '' }, { print: 'Begun.' }, { hang: true }]),
      );
      const turnEnd = agent.prompt('Work.');
      while (!existsSync(at('ready')) || lines.length === 0) await delay(systemClock, 10);
      abort.abort();
      expect(await turnEnd).to.deep.equal({ kind: 'cancelled', detail: 'Begun.' });
    });

    it('shows tool calls, the step of its plan, and its usage, where it never counts down [A.run.agent-progress, A.run.agent-usage]', async () => {
      const pause: Step = { until: at('go') };
      const agent = await scripted(
        'acp',
        scenario([
          ...[{ plan: ['Read the code', 'Change it'] }, { tokens: 1_200, cost_usd: 0.25 }, { tokens: 100 }, pause],
          { tool: `Run ${esc}[31mnpm test${esc}[0m\u202e` },
        ]),
      );
      const turnEnd = agent.prompt('Work.');
      while (usages.length === 0) await delay(systemClock, 10);
      expect(lines).to.deep.equal(['Read the code']);
      writeFileSync(at('go'), '');
      expect(await turnEnd).to.deep.equal({ kind: 'done', detail: '' });
      expect(lines.at(-1)).to.equal('Run npm test');
      expect(usages).to.deep.equal([{ tokens: 600, cost_usd: 0.25 }]);
    });

    it('asks for permission and questions, and gets the answers [A.run.agent-asks]', async () => {
      answer = (question) => Promise.resolve(question === 'Run npm install' ? 'Allow' : 'Blue');
      await turn('acp', { ask: 'Run npm install', choices: ['Allow', 'Reject'] }, { ask: 'Which colour?' });
      expect(asked).to.deep.equal([
        ['Run npm install', ['Allow', 'Reject']],
        ['Which colour?', []],
      ]);
      expect(lines.at(-1)).to.equal('Answer: Blue');
      expect(lines[0]).to.equal('Answer: Allow');
    });

    it('goes on without an answer, as if it were cancelled [A.run.agent-asks]', async () => {
      const { kind, detail } = await turn('acp', { ask: 'Run rm', choices: ['Allow'] }, { ask: 'Why?' });
      expect({ kind, detail }).to.deep.equal({ kind: 'done', detail: 'Answer: none\nAnswer: none' });
    });

    it('gets the plan as a server of MCP [A.run.agent-acp]', async () => {
      const plan = { command: '/bin/planner', args: ['mcp'], env: { PLANNER_MCP_TOKEN: 'secret' } };
      const agent = await scripted('acp', scenario([{ print: 'SERVERS' }]), { plan });
      const { detail } = await agent.prompt('Work.');
      expect(JSON.parse(detail)).to.deep.equal([
        {
          name: 'planner',
          command: '/bin/planner',
          args: ['mcp'],
          env: [{ name: 'PLANNER_MCP_TOKEN', value: 'secret' }],
        },
      ]);
    });

    it('that did not finish says why [A.run.agent-fails]', async () => {
      const agent = await scripted(
        'acp',
        scenario([{ stop: 'refusal' }], [{ stop: 'max_tokens' }], [{ stop: 'tired' }]),
      );
      expect(await agent.prompt('1')).to.deep.equal({ kind: 'failed', detail: 'It refused to go on.' });
      expect(await agent.prompt('2')).to.deep.equal({ kind: 'failed', detail: 'It reached its limit of tokens.' });
      expect((await agent.prompt('3')).detail).to.match(/without a reason that Planner knows/);
    });

    it('may print what is no message [A.run.agent-fails]', async () => {
      const { kind, detail } = await turn(
        'acp',
        { raw: 'Debug: on\n{"jsonrpc":"2.0","id":77,"result":1}\n' },
        { print: 'Fine.' },
      );
      expect({ kind, detail }).to.deep.equal({ kind: 'done', detail: 'Fine.' });
    });

    const starts = [
      ['crash', /It ended before it answered\. Exit code 1\.\n[^]*It crashes at its start/],
      ['hang', /It did not begin a conversation within 0\.5 s/],
      ['garbage', /It ended before it answered\. Exit code 0\.\n[^]*Welcome!/],
      ['other version', /It speaks version 99 of the Agent Client Protocol, and Planner version 1/],
      ['signed out', /Authentication required.*Sign in with its own program first/],
    ] as const;
    for (const [kind, expected] of starts)
      it(`that cannot be spoken to fails each prompt: ${kind} [A.run.agent-fails]`, async () => {
        const startMs = kind === 'hang' ? 500 : 60_000;
        const agent = await scripted('acp', { start: kind, ...scenario([]) }, { startMs });
        for (const _ of [1, 2]) {
          const { kind: how, detail } = await agent.prompt('Work.');
          expect(how).to.equal('failed');
          expect(detail).to.match(expected);
        }
      });
  });

  describe('by its name', () => {
    let shell: Shell;
    let searched: NodeJS.ProcessEnv;
    const find = (name?: string): Promise<AgentCommand> => {
      const deps = { disk: nodeDisk, homeDirectory: shell.home, environment: () => readEnvironment({}) };
      return findAgent(name, deps, searched);
    };
    const messageOf = (name?: string): Promise<string> =>
      find(name).then(
        (agent) => `found ${agent.name}`,
        (error: unknown) => (error as Error).message,
      );

    function install(name: string): void {
      mkdirSync(searched['PATH']!, { recursive: true });
      writeFileSync(join(searched['PATH']!, name), '#!/bin/sh\necho started > "$0.started"\n', { mode: 0o755 });
    }

    function configure(value: unknown): void {
      mkdirSync(join(shell.home, '.config/planner'), { recursive: true });
      writeFileSync(join(shell.home, '.config/planner/agents.json'), JSON.stringify(value));
    }

    beforeEach(() => {
      shell = new Shell(scratch.path);
      searched = { PATH: join(scratch.path, 'programs') };
    });

    it('is an installed preset, the first without a name [A.run.agent-presets]', async () => {
      expect(await messageOf()).to.match(
        /^No coding agent is installed\. Known are.* claude \(claude-agent-acp\), codex/,
      );
      install('goose');
      install('opencode');
      expect(await find()).to.include({ name: 'opencode', command: 'opencode', protocol: 'acp' });
      expect((await find('goose')).args).to.deep.equal(['acp']);
      expect(await messageOf('copilot')).to.match(
        /The agent copilot is not installed: there is no program copilot in PATH/,
      );
      expect(await messageOf('eliza')).to.match(/^There is no agent eliza\./);
    });

    it('is one of the user, before the presets and in the place of one with its name [A.run.agent-own]', async () => {
      for (const name of ['goose', 'mine']) install(name);
      configure({
        goose: { command: 'mine', protocol: 'stdin', args: ['-x'] },
        other: { command: 'mine', protocol: 'acp' },
      });
      expect(await find()).to.deep.equal({ name: 'goose', command: 'mine', protocol: 'stdin', args: ['-x'], env: {} });
      expect(await find('other')).to.deep.equal({ name: 'other', command: 'mine', protocol: 'acp', args: [], env: {} });
      for (const wrong of [[], { a: { command: 'mine' } }, { a: { command: 'mine', protocol: 'acp', arg: ['x'] } }]) {
        configure(wrong);
        expect(await messageOf()).to.match(/agents\.json must contain a JSON object of agents by name/);
      }
    });

    it('is not read from a repository, and no directory of it is searched [A.run.agent-own]', async () => {
      mkdirSync(join(shell.directory, '.planner'), { recursive: true });
      for (const path of ['agents.json', '.planner/agents.json', '.planner/config.json'])
        writeFileSync(
          join(shell.directory, path),
          JSON.stringify({ agents: { evil: { command: 'evil', protocol: 'stdin' } } }),
        );
      searched = { PATH: `.:${scratch.path}/programs` };
      expect(await messageOf('evil')).to.match(/^There is no agent evil\./);
    });

    it('is in the presets with a command, a source and a description, once [A.run.agent-presets]', () => {
      const documented = readFileSync(join(import.meta.dirname, '../../docs/reference/agents.md'), 'utf8');
      expect(new Set(presets.map(({ name }) => name))).to.have.property('size', presets.length);
      for (const { name, title, command, args, install: source, documentation } of presets) {
        expect(documented)
          .to.include(`\`${[command, ...args].join(' ')}\``)
          .and.include(`\`${name}\``)
          .and.include(title);
        expect(source).to.match(/^(?:npm install -g |https:)/);
        expect(documentation).to.match(/^https:/);
      }
    });

    it('is listed by planner doctor in a repository, and not started [A.run.agent-presets]', async () => {
      install('mine');
      configure({ mine: { command: join(searched['PATH']!, 'mine'), protocol: 'stdin' } });
      initRepository(shell.directory);
      await shell.ok(['init']);
      expect(await shell.ok(['doctor'])).to.match(/^For planner run: git has worktrees; installed agents: mine/m);
      expect((await shell.json(['doctor'])).run.agents).to.include('mine');
      expect(existsSync(join(searched['PATH']!, 'mine.started'))).to.equal(false);
    });
  });

  it('shows the newest line of a second, one line, without control characters, and not a long one [A.run.agent-progress]', () => {
    const clock = new ManualClock();
    const progress = new Progress(clock, (line) => void lines.push(line));
    for (const text of ['a', 'b', '', 'c']) progress.line(text);
    expect(lines).to.deep.equal(['a']);
    clock.advance(1_000);
    expect(lines).to.deep.equal(['a', 'c']);
    clock.advance(5_000);
    progress.line(`${esc}]0;title\u0007d${'\r'}\n\te`);
    expect(lines.at(-1)).to.equal('d e');
    progress.text('One sentence. The ne');
    progress.text('xt');
    clock.advance(1_000);
    expect(lines.at(-1)).to.equal('One sentence.');
    progress.text(' one');
    progress.end();
    expect(lines.at(-1)).to.equal('The next one');
    progress.line('x'.repeat(10_000));
    expect(lines.at(-1)).to.have.lengthOf(300);
    progress.end();
  });
});
