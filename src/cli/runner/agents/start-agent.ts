import { agentLimits } from './agent-process.ts';
import type { AgentLimits } from './agent-process.ts';
import type { AgentOptions, AgentSession } from './agent.ts';
import { StdinSession } from './stdin-session.ts';

/** Begins a conversation with an agent. An agent that cannot be started, or does not speak its protocol, fails each prompt. */
export async function startAgent(options: AgentOptions, limits: AgentLimits = agentLimits): Promise<AgentSession> {
  if (options.agent.protocol === 'stdin') return new StdinSession(options, limits);
  // The library of the protocol is loaded by the commands that need it.
  const { AcpSession } = await import('./acp-session.ts');
  return new AcpSession(options, limits);
}
