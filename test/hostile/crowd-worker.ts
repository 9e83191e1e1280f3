import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { CrowdOptions, Manner } from './crowd.ts';

const { url, count, manner } = workerData as CrowdOptions;
const { hostname, port, host } = new URL(url);
const at = `Host: ${host}\r\n`;
const words: Readonly<Record<Manner, string>> = {
  silent: '',
  rested: `GET /api/v1/health HTTP/1.1\r\n${at}\r\n`,
  headers: `GET /api/v1/health HTTP/1.1\r\n${at}X-Slow: `,
  body: `POST /api/v1/projects HTTP/1.1\r\n${at}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
};

const sockets: Socket[] = [];
let open = 0;

/** Resolves when the connection is open (with a response, if it sent a request) or was refused. */
function openOne(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('connect', () => {
      open++;
      if (words[manner] !== '') socket.write(words[manner]);
      if (manner !== 'rested') resolve();
    });
    socket.on('data', () => resolve());
    socket.on('error', () => resolve());
    socket.once('close', () => resolve());
  });
}

const atOnce = 50;
for (let left = count; left > 0; left -= atOnce)
  await Promise.all(Array.from({ length: Math.min(atOnce, left) }, openOne));
parentPort!.postMessage('here');
parentPort!.on('message', () => {
  parentPort!.postMessage({ open, alive: sockets.filter((socket) => !socket.destroyed).length });
});
