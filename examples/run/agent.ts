/**
 * A coding agent that follows a script instead of a model. It speaks the Agent Client Protocol on standard input and output, as Claude Code,
 * Codex and others do. PACE_MS is the time between two of its steps, so that a person can follow.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import * as acp from '@agentclientprotocol/sdk';
import { scripts } from './scripts.ts';
import type { Hands } from './scripts.ts';

const sessionId = 'scripted';
const paceMs = Number(process.env['PACE_MS'] ?? 0);
const cancelled = new AbortController();
let client: acp.AgentContext;
let label: string | undefined;
let turn = 0;
let calls = 0;
let tokens = 0;

const { agent, client: ofClient } = acp.methods;
acp
  .agent({ name: 'scripted' })
  .onRequest(agent.initialize, () => ({ protocolVersion: acp.PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest(agent.session.new, (request) => {
    client = request.client;
    return { sessionId };
  })
  .onRequest(agent.session.prompt, async ({ params }) => {
    const prompt = params.prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    // The first prompt of a session names the task; later ones have the output of a red gate.
    label ??= /^# (.+)$/m.exec(prompt)?.[1];
    const script = scripts[label ?? '']?.[turn++];
    if (script === undefined) throw new Error(`There is no script for turn ${turn} of ${JSON.stringify(label)}.`);
    try {
      await script(hands);
    } catch (thrown) {
      if (!cancelled.signal.aborted) throw thrown;
      return { stopReason: 'cancelled' as const };
    }
    return { stopReason: 'end_turn' as const };
  })
  .onNotification(agent.session.cancel, () => cancelled.abort())
  .connect(
    acp.ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );

async function update(one: acp.SessionUpdate): Promise<void> {
  await setTimeout(paceMs, undefined, { signal: cancelled.signal });
  await client.notify(ofClient.session.update, { sessionId, update: one });
}

/** Reports a call of a tool, and what the agent used until then. */
async function tool(title: string): Promise<void> {
  tokens += 1_000 + 10 * title.length;
  await update({ sessionUpdate: 'tool_call', toolCallId: `call ${++calls}`, title, status: 'in_progress' });
  await client.notify(ofClient.session.update, {
    sessionId,
    update: {
      ...{ sessionUpdate: 'usage_update', used: tokens, size: 200_000 },
      cost: { amount: tokens / 100_000, currency: 'USD' },
    },
  });
}

const hands: Hands = {
  say: (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${text}\n` } }),
  async write(path, text) {
    await tool(`Write ${path}`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  },
  async commit(message) {
    await tool(`Commit: ${message}`);
    execFileSync('git', ['add', '--all']);
    execFileSync('git', ['commit', '--quiet', '--message', message]);
  },
  async ask(title, choices) {
    const { outcome }: acp.RequestPermissionResponse = await client.request(ofClient.session.requestPermission, {
      ...{ sessionId, toolCall: { toolCallId: `call ${++calls}`, title } },
      options: choices.map((name) => ({ optionId: name, name, kind: 'allow_once' })),
    });
    return outcome.outcome === 'selected' ? outcome.optionId : choices[0]!;
  },
};
