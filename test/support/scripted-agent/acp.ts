import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import type { Scenario } from './scenario.ts';
import { perform } from './steps.ts';
import type { Speech } from './steps.ts';
import { stepsFor } from './turns.ts';

/** Speaks the Agent Client Protocol on standard input and output, by the agent's side of its library. */
export function speakAcp(file: string, { start, resumes = false }: Scenario): void {
  if (start === 'crash') throw new Error('It crashes at its start.');
  if (start === 'garbage') return void process.stdout.write('{"jsonrpc":"2.0"}\n[]\n{"id":0,"result":{}}\nWelcome!\n');
  if (start === 'hang') return void process.stdin.resume();
  let client: acp.AgentContext | undefined;
  let servers = '';
  const cancelled = new AbortController();
  // What the library's types do not have: usage in the answer to a prompt.
  const used: { tokens?: number } = {};
  acp
    .agent({ name: 'scripted' })
    .onRequest(acp.methods.agent.initialize, () => ({
      protocolVersion: start === 'other version' ? 99 : acp.PROTOCOL_VERSION,
      agentCapabilities: { loadSession: resumes },
    }))
    .onRequest(acp.methods.agent.session.load, async ({ client: connected, params: { sessionId } }) => {
      client = connected;
      const text = 'Repeated.';
      await connected.notify(acp.methods.client.session.update, {
        ...{ sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
      });
      return {};
    })
    .onRequest(acp.methods.agent.session.new, ({ client: connected, params }) => {
      if (start === 'signed out') throw acp.RequestError.authRequired();
      client = connected;
      servers = JSON.stringify(params.mcpServers);
      return { sessionId: 'scripted' };
    })
    .onRequest(acp.methods.agent.session.prompt, async ({ params: { sessionId, prompt } }) => {
      const text = prompt.map((block) => (block.type === 'text' ? block.text : '')).join('');
      const performed = perform(stepsFor(file, text), speechOf(client!, sessionId, servers, used));
      const stopped = new Promise<string>((resolve) => {
        cancelled.signal.addEventListener('abort', () => resolve('cancelled'), { once: true });
      });
      const stopReason = ((await Promise.race([performed, stopped])) ?? 'end_turn') as acp.StopReason;
      return { stopReason, ...(used.tokens === undefined ? {} : { usage: { totalTokens: used.tokens } }) };
    })
    .onNotification(acp.methods.agent.session.cancel, () => {
      if (process.listenerCount('SIGTERM') === 0) cancelled.abort();
    })
    .connect(
      acp.ndJsonStream(
        Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
        Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
      ),
    );
}

function speechOf(client: acp.AgentContext, sessionId: string, servers: string, used: { tokens?: number }): Speech {
  const update = (one: acp.SessionUpdate): Promise<void> =>
    client.notify(acp.methods.client.session.update, { sessionId, update: one });
  let calls = 0;
  return {
    // As models do, in pieces that end anywhere.
    say: async (given) => {
      const line = given.replace('SERVERS', servers);
      for (const text of [line.slice(0, 7), `${line.slice(7)}\n`])
        await update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    },
    ask: (question, choices) =>
      choices.length === 0
        ? askInForm(client, sessionId, question)
        : askPermission(client, sessionId, question, choices),
    tool: (title) =>
      update({ sessionUpdate: 'tool_call', toolCallId: `call ${++calls}`, title, status: 'in_progress' }),
    plan: (entries) =>
      update({
        sessionUpdate: 'plan',
        entries: entries.map((content, n) => ({
          ...{ content, priority: 'medium', status: n === 0 ? 'in_progress' : 'pending' },
        })),
      }),
    usage: (tokens, costUsd) => {
      used.tokens = tokens;
      const cost = costUsd === undefined ? {} : { cost: { amount: costUsd, currency: 'USD' } };
      return update({ sessionUpdate: 'usage_update', used: Math.floor(tokens / 2), size: 200_000, ...cost });
    },
    flush: () => client.notify('_flush'),
  };
}

async function askPermission(
  client: acp.AgentContext,
  sessionId: string,
  title: string,
  choices: readonly string[],
): Promise<string | undefined> {
  const { outcome }: acp.RequestPermissionResponse = await client.request(
    acp.methods.client.session.requestPermission,
    {
      sessionId,
      toolCall: { toolCallId: 'asked', title },
      options: choices.map((name, n) => ({ optionId: String(n), name, kind: 'allow_once' as const })),
    },
  );
  return outcome.outcome === 'selected' ? choices[Number(outcome.optionId)] : undefined;
}

async function askInForm(client: acp.AgentContext, sessionId: string, message: string): Promise<string | undefined> {
  const answer = await client.request(acp.methods.client.elicitation.create, {
    ...{ sessionId, message, mode: 'form' },
    requestedSchema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
  });
  const content = answer.action === 'accept' ? answer['content' as keyof typeof answer] : undefined;
  return content === undefined ? undefined : String((content as { readonly answer: unknown }).answer);
}
