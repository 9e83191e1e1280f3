/**
 * Requests a service's health over one raw connection until its parent stops it: `node health-probe.ts <port> <pid>`.
 * A separate process, so that the bench's own work does not count as the service's latency. Sends the samples to its parent and exits.
 */
import { connect } from 'node:net';
import { mainThreadMs, mainThreadQueuedMs } from './process-usage.ts';

/** Between the end of one answer and the next request, in milliseconds. */
const everyMs = 4;
const [, , port, pid] = process.argv;
const request = `GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
const end = '{"ok":true}';

/**
 * One response: its latency, the CPU time of the service's main thread during it, and how long that thread waited for a
 * CPU.
 */
export type Sample = readonly [wallMs: number, processorMs: number, queuedMs: number];

const samples: Sample[] = [];
let stopping = false;
let received = '';
let began = 0;
let spent = 0;
let queued = 0;

const socket = connect(Number(port), '127.0.0.1', () => {
  process.send!('ready');
  ask();
});
socket.setNoDelay(true);
socket.on('error', (error) => {
  throw error;
});
socket.on('data', (chunk) => {
  received += chunk.toString('latin1');
  if (!received.endsWith(end)) return;
  received = '';
  const wall = performance.now() - began;
  samples.push([wall, mainThreadMs(Number(pid)) - spent, mainThreadQueuedMs(Number(pid)) - queued]);
  if (stopping) finish();
  else setTimeout(ask, everyMs);
});

function ask(): void {
  if (stopping) return finish();
  spent = mainThreadMs(Number(pid));
  queued = mainThreadQueuedMs(Number(pid));
  began = performance.now();
  socket.write(request);
}

function finish(): void {
  socket.destroy();
  process.send!(samples, () => process.disconnect());
}

process.on('message', () => (stopping = true));
process.on('disconnect', () => process.exit());
