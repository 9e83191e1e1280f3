/** Yardstick of files: node:http that streams a body to a synced file and responds; and sends it back. `node raw-files.ts <port> <directory>` */
import { closeSync, createReadStream, createWriteStream, fsync, openSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const [, , port, directory] = process.argv;
let count = 0;

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const path = join(directory!, request.url!.slice(1));
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': size });
    return void createReadStream(path).pipe(response);
  }
  const name = `${++count}.png`;
  const fd = openSync(join(directory!, name), 'wx');
  const file = createWriteStream('', { fd, autoClose: false });
  void pipeline(request, file).then(() =>
    fsync(fd, () => {
      closeSync(fd);
      response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify({ url: `/${name}` }));
    }),
  );
});
server.listen(Number(port), '127.0.0.1');
