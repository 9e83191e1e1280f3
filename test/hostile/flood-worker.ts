import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { FloodOptions } from './flood.ts';

const { url, count, input, reads } = workerData as FloodOptions;
const { hostname, port } = new URL(url);
let received = 0;

function openOne(): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    if (reads) socket.on('data', (chunk) => (received += chunk.length));
    else socket.pause();
    socket.on('error', () => resolve(socket));
  });
}

const sockets: Socket[] = [];
const atOnce = 50;
for (let left = count; left > 0; left -= atOnce)
  sockets.push(...(await Promise.all(Array.from({ length: Math.min(atOnce, left) }, openOne))));
parentPort!.postMessage('open');
parentPort!.on('message', (message: 'send' | 'count') => {
  if (message === 'send') for (const socket of sockets) socket.write(input);
  else parentPort!.postMessage({ alive: sockets.filter((socket) => !socket.destroyed).length, received });
});
