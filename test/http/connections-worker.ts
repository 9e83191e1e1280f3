/** Serves until its standard input ends, in a process with its own open-file limit; prints its port. */
import { HttpServer } from '../../src/http/http-server.ts';

const server = await HttpServer.listen({ host: '127.0.0.1', port: 0, handler: (_, response) => void response.end() });
process.stdout.write(`${server.port}\n`);
process.stdin.resume().once('end', () => process.exit(0));
