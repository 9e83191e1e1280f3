import type { AgentCommand } from './agent.ts';

/** A known coding agent. */
export interface Preset extends AgentCommand {
  readonly title: string;
  /** Where its command comes from. */
  readonly install: string;
  /** What its authors, or those of its adapter, write about this form of it. */
  readonly documentation: string;
}

/**
 * The common coding agents, the preferred ones first. None of them was run with this program: each needs an account. Their
 * commands are as their documentation has them, and the protocol is tested with agents that follow a script.
 */
export const presets: readonly Preset[] = [
  {
    ...{ name: 'claude', title: 'Claude Code', command: 'claude-agent-acp', args: [], protocol: 'acp', env: {} },
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    documentation: 'https://github.com/agentclientprotocol/claude-agent-acp',
  },
  {
    ...{ name: 'codex', title: 'Codex', command: 'codex-acp', args: [], protocol: 'acp', env: {} },
    install: 'npm install -g @agentclientprotocol/codex-acp',
    documentation: 'https://github.com/agentclientprotocol/codex-acp',
  },
  {
    ...{ name: 'gemini', title: 'Gemini CLI', command: 'gemini', args: ['--acp'], protocol: 'acp', env: {} },
    install: 'npm install -g @google/gemini-cli',
    documentation: 'https://geminicli.com/docs/cli/acp-mode/',
  },
  {
    ...{ name: 'opencode', title: 'OpenCode', command: 'opencode', args: ['acp'], protocol: 'acp', env: {} },
    install: 'npm install -g opencode-ai',
    documentation: 'https://opencode.ai/docs/acp',
  },
  {
    ...{ name: 'goose', title: 'Goose', command: 'goose', args: ['acp'], protocol: 'acp', env: {} },
    install: 'https://block.github.io/goose/docs/getting-started/installation',
    documentation: 'https://block.github.io/goose/docs/guides/acp-clients',
  },
  {
    ...{ name: 'cursor', title: 'Cursor', command: 'cursor-agent', args: ['acp'], protocol: 'acp', env: {} },
    install: 'https://cursor.com/cli',
    documentation: 'https://cursor.com/docs/cli/acp',
  },
  {
    ...{
      name: 'copilot',
      title: 'Copilot CLI',
      command: 'copilot',
      args: ['--acp', '--stdio'],
      protocol: 'acp',
      env: {},
    },
    install: 'npm install -g @github/copilot',
    documentation: 'https://docs.github.com/en/copilot/reference/copilot-cli-reference/acp-server',
  },
  {
    ...{ name: 'claude-print', title: 'Claude Code, without an adapter', command: 'claude' },
    ...{ args: ['-p', '--permission-mode', 'acceptEdits'], protocol: 'stdin', env: {} },
    install: 'npm install -g @anthropic-ai/claude-code',
    documentation: 'https://code.claude.com/docs/en/headless',
  },
  {
    ...{ name: 'codex-exec', title: 'Codex, without an adapter', command: 'codex' },
    ...{ args: ['exec', '--sandbox', 'workspace-write', '-'], protocol: 'stdin', env: {} },
    install: 'npm install -g @openai/codex',
    documentation: 'https://developers.openai.com/codex/noninteractive',
  },
];
